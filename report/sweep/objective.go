package sweep

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"groundhog/detectors"
	"groundhog/report"
	"groundhog/report/board"
	"groundhog/report/stat"
)

// An Objective says which setting is best: one number to make large or small, under
// bounds.
type Objective struct {
	Max    bool
	Metric string
	Bounds []Bound
}

// A Bound is a condition: at most so much, or at least.
type Bound struct {
	Metric string
	Least  bool // at least; else at most
	Value  float64
}

// objectiveMetrics are the metrics that objectives may name, with their keys in the
// catalogue. fpr95 is the one-sided upper bound of the false-positive rate, recall95
// the lower bound of recall.
var objectiveMetrics = []struct{ name, key string }{
	{"recall", "recall"}, {"recall95", "recall_lower95"}, {"fpr", "fpr"}, {"fpr95", "fpr_upper95"},
	{"waste", "waste_per_loop"}, {"f", "f"}, {"false_per_1k", "false_per_1k"}, {"timed_score", "timed_score"},
	{"cost", "cost"}, {"tcr", "tcr"},
}

// DefaultObjective is the one where none is given.
const DefaultObjective = "max recall s.t. fpr95<=1%"

// ParseObjective reads "max recall s.t. fpr95<=1%, waste<=5".
func ParseObjective(spec string) (Objective, error) {
	goal, bounds, bounded := strings.Cut(spec, "s.t.")
	words := strings.Fields(goal)
	if len(words) != 2 || words[0] != "max" && words[0] != "min" {
		return Objective{}, fmt.Errorf("objective %q: expected max or min, a metric, and bounds after s.t., such as %q", spec,
			DefaultObjective)
	}
	o := Objective{Max: words[0] == "max", Metric: words[1]}
	if err := knownMetric(o.Metric); err != nil {
		return o, err
	}
	if !bounded {
		return o, nil
	}
	for _, part := range strings.Split(bounds, ",") {
		b, err := parseBound(strings.TrimSpace(part))
		if err != nil {
			return o, err
		}
		o.Bounds = append(o.Bounds, b)
	}
	return o, nil
}

func parseBound(part string) (Bound, error) {
	name, value, ok := strings.Cut(part, "<=")
	b := Bound{}
	if !ok {
		name, value, ok = strings.Cut(part, ">=")
		b.Least = true
	}
	if !ok {
		return b, fmt.Errorf("bound %q: expected METRIC<=VALUE or METRIC>=VALUE", part)
	}
	b.Metric = strings.TrimSpace(name)
	if err := knownMetric(b.Metric); err != nil {
		return b, err
	}
	value = strings.TrimSpace(value)
	digits, percent := strings.CutSuffix(value, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if err != nil || !(v >= 0 && v < 1e12) {
		return b, fmt.Errorf("bound %q: %q is no number", part, value)
	}
	if percent {
		v /= 100
	}
	b.Value = v
	return b, nil
}

func knownMetric(name string) error {
	var names []string
	for _, m := range objectiveMetrics {
		if m.name == name {
			return nil
		}
		names = append(names, m.name)
	}
	return fmt.Errorf("unknown metric %q: expected one of %s", name, strings.Join(names, ", "))
}

// String is the objective as it was written, in one form.
func (o Objective) String() string {
	out := "min " + o.Metric
	if o.Max {
		out = "max " + o.Metric
	}
	for i, b := range o.Bounds {
		sep, sign := ", ", "<="
		if i == 0 {
			sep = " s.t. "
		}
		if b.Least {
			sign = ">="
		}
		value := strconv.FormatFloat(b.Value, 'g', -1, 64)
		if b.Value < 1 && b.Metric != "waste" && b.Metric != "cost" {
			value = report.Percent(b.Value)
		}
		out += sep + b.Metric + sign + value
	}
	return out
}

// NeedsCosts reports whether the objective weighs mistakes.
func (o Objective) NeedsCosts() bool {
	costs := o.Metric == "cost" || o.Metric == "tcr"
	for _, b := range o.Bounds {
		costs = costs || b.Metric == "cost" || b.Metric == "tcr"
	}
	return costs
}

// metric is one number of a showing, by its name in an objective. A number that does
// not exist is no good and no bad one: it never passes a bound.
func (c *chooser) metric(s *showing, name string) (float64, bool) {
	return c.metrics[name].Value(s.Sample)
}

// metricsOf are the metrics that objectives may name.
func metricsOf(level detectors.Verdict, costs *stat.Costs) map[string]*board.Metric {
	list := append(board.Catalogue(level, nil), board.Costed(costs)...)
	by := make(map[string]*board.Metric)
	for _, m := range objectiveMetrics {
		by[m.name] = &board.Pick(list, m.key)[0]
	}
	return by
}

// feasible reports whether all bounds hold.
func (c *chooser) feasible(s *showing) bool {
	for _, b := range c.objective.Bounds {
		v, ok := c.metric(s, b.Metric)
		if !ok || b.Least && v < b.Value || !b.Least && v > b.Value {
			return false
		}
	}
	return true
}

// better orders two showings by the objective; ties go to lower waste, then to
// fewer parameters changed from the current setting, then to smaller steps, then
// to the first in order.
func (c *chooser) better(a, b *showing) int {
	x, okX := c.metric(a, c.objective.Metric)
	y, okY := c.metric(b, c.objective.Metric)
	switch {
	case okX != okY:
		if okX {
			return -1
		}
		return 1
	case okX && x != y:
		if x > y == c.objective.Max {
			return -1
		}
		return 1
	}
	return c.tie(a, b)
}

func (c *chooser) tie(a, b *showing) int {
	wasteA, _ := c.metric(a, "waste")
	wasteB, _ := c.metric(b, "waste")
	return cmp.Or(cmp.Compare(wasteA, wasteB), c.nearness(a.point, b.point))
}

// nearness orders points by how little they change from the current setting.
func (c *chooser) nearness(a, b int) int {
	changedA, stepsA := c.distance(a)
	changedB, stepsB := c.distance(b)
	return cmp.Or(cmp.Compare(changedA, changedB), cmp.Compare(stepsA, stepsB), cmp.Compare(a, b))
}
