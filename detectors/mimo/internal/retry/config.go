package retry

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// A Config is the retry keys of a configuration file: retry.BUDGET.KEY for
// everybody, provider.ID.retry.BUDGET.KEY for one provider on top of it.
type Config struct {
	Global    Overrides
	Providers []ProviderOverrides
	// Idle lists keys that are legal and change nothing: a jitter beside the
	// budgets serves a caller without a budget, and there is none.
	Idle []string
}

// ProviderOverrides are the overrides of one provider.
type ProviderOverrides struct {
	ID string
	Overrides
}

// Overrides change some budgets, in the order of Names.
type Overrides [8]Override

// An Override changes some fields of a budget; nil leaves one as it is.
type Override struct {
	Persistent     *bool
	Retries        *int
	Deadline       *time.Duration
	NoDeadline     *bool
	Initial, Limit *time.Duration
	Jitter         *float64
}

// maxRetries is the most that a configuration may allow.
const maxRetries = 100

// Resolve is the budgets of a provider: field by field the later wins,
// but the deadline is decided by the last override that mentions it at all.
// Those of last come after what is configured.
func (c *Config) Resolve(head bool, provider string, last ...*Overrides) *Budgets {
	b := Defaults(head)
	var layers []*Overrides
	if c != nil {
		layers = append(layers, &c.Global)
		for i := range c.Providers {
			if c.Providers[i].ID == provider {
				layers = append(layers, &c.Providers[i].Overrides)
			}
		}
	}
	layers = append(layers, last...)
	for i := range b {
		deadline := b[i].Deadline
		for _, layer := range layers {
			o := &layer[i]
			set(&b[i].Persistent, o.Persistent)
			set(&b[i].Retries, o.Retries)
			set(&b[i].Initial, o.Initial)
			set(&b[i].Most, o.Limit)
			set(&b[i].Jitter, o.Jitter)
			switch {
			case o.NoDeadline != nil && *o.NoDeadline:
				deadline = 0
			case o.Deadline != nil:
				deadline = *o.Deadline
			case o.NoDeadline != nil:
				deadline = b[i].Deadline
			}
		}
		b[i].Deadline = deadline
		if b[i].Persistent {
			b[i].Retries = -1
		}
	}
	return &b
}

func set[T any](dst *T, src *T) {
	if src != nil {
		*dst = *src
	}
}

// ReadConfig reads the retry keys of a configuration and ignores the others.
// The error names the path of the key that is wrong.
func ReadConfig(raw jsontext.Value) (*Config, error) {
	if raw.Kind() != '{' {
		return nil, fmt.Errorf("expected a JSON object, found %s", kindName(raw))
	}
	c := &Config{}
	err := c.Global.read(field(raw, "retry"), "retry", c)
	if err != nil {
		return nil, err
	}
	providers := field(raw, "provider")
	if providers != nil && providers.Kind() != '{' {
		return nil, fmt.Errorf("provider: expected an object, found %s", kindName(providers))
	}
	each(providers, func(id string, v jsontext.Value) {
		p := ProviderOverrides{ID: id}
		if e := p.read(field(v, "retry"), "provider."+id+".retry", c); e != nil && err == nil {
			err = e
		}
		c.Providers = append(c.Providers, p)
	})
	return c, err
}

func (o *Overrides) read(raw jsontext.Value, path string, c *Config) (err error) {
	if raw == nil {
		return nil
	}
	if raw.Kind() != '{' {
		return fmt.Errorf("%s: expected an object, found %s", path, kindName(raw))
	}
	each(raw, func(name string, v jsontext.Value) {
		at := path + "." + name
		i := slices.Index(Names, name)
		var e error
		switch {
		case i >= 0:
			e = o[i].read(v, at)
		case name == "jitterRatio":
			_, e = ratio(v, at)
			c.Idle = append(c.Idle, at)
		default:
			e = fmt.Errorf("%s: no such budget; expected one of %s", at, quotedList(Names))
		}
		if err == nil {
			err = e
		}
	})
	return err
}

var keys = []string{"mode", "maxRetries", "deadlineMs", "noDeadline", "initialDelayMs", "maxDelayMs", "jitterRatio"}

func (o *Override) read(raw jsontext.Value, path string) (err error) {
	if raw.Kind() != '{' {
		return fmt.Errorf("%s: expected an object, found %s", path, kindName(raw))
	}
	each(raw, func(key string, v jsontext.Value) {
		at := path + "." + key
		var e error
		switch key {
		case "mode":
			o.Persistent, e = mode(v, at)
		case "maxRetries":
			var n int64
			if n, e = integer(v, at, 0, maxRetries); e == nil {
				count := int(n)
				o.Retries = &count
			}
		case "deadlineMs":
			o.Deadline, e = millis(v, at)
		case "initialDelayMs":
			o.Initial, e = millis(v, at)
		case "maxDelayMs":
			o.Limit, e = millis(v, at)
		case "noDeadline":
			if k := v.Kind(); k != 't' && k != 'f' {
				e = fmt.Errorf("%s: expected true or false, found %s", at, kindName(v))
			} else {
				yes := k == 't'
				o.NoDeadline = &yes
			}
		case "jitterRatio":
			var x float64
			if x, e = ratio(v, at); e == nil {
				o.Jitter = &x
			}
		default:
			e = fmt.Errorf("%s: no such key; expected one of %s", at, quotedList(keys))
		}
		if err == nil {
			err = e
		}
	})
	if err == nil && o.Deadline != nil && o.NoDeadline != nil {
		err = fmt.Errorf("%s: deadlineMs and noDeadline exclude each other; leave one out", path)
	}
	return err
}

func mode(v jsontext.Value, at string) (*bool, error) {
	switch s := str(v).S; s {
	case "bounded", "persistent":
		yes := s == "persistent"
		return &yes, nil
	}
	return nil, fmt.Errorf("%s: expected \"bounded\" or \"persistent\", found %s", at, v)
}

func integer(v jsontext.Value, at string, lo, hi int64) (int64, error) {
	x, err := strconv.ParseFloat(string(v), 64)
	if v.Kind() != '0' || err != nil || x != math.Trunc(x) || x < float64(lo) || x > float64(hi) {
		return 0, fmt.Errorf("%s: expected a whole number from %d to %d, found %s", at, lo, hi, v)
	}
	return int64(x), nil
}

// maxMillis bounds a time in a configuration. It is some 24 days, what a timer
// can wait.
const maxMillis = math.MaxInt32

func millis(v jsontext.Value, at string) (*time.Duration, error) {
	n, err := integer(v, at, 1, maxMillis)
	d := time.Duration(n) * time.Millisecond
	return &d, err
}

func ratio(v jsontext.Value, at string) (float64, error) {
	x, err := strconv.ParseFloat(string(v), 64)
	if v.Kind() != '0' || err != nil || x < 0 || x > 1 {
		return 0, fmt.Errorf("%s: expected a number from 0 to 1, found %s", at, v)
	}
	return x, nil
}

func kindName(v jsontext.Value) string {
	switch v.Kind() {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"', '0', 't', 'f', 'n':
		return string(v)
	}
	return "nothing"
}

func quotedList(list []string) (s string) {
	for i, x := range list {
		if i > 0 {
			s += ", "
		}
		s += x
	}
	return s
}
