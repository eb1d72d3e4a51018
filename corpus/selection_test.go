package corpus_test

import (
	"testing"

	"groundhog/corpus"
	"groundhog/replay/transcript"
)

func TestSelection(t *testing.T) {
	rates := []corpus.Rate{corpus.RateRecall, corpus.RateFalse, corpus.RatePrecision, corpus.RateFrequency, corpus.RateAgreement, corpus.RateDifference}
	for _, test := range []struct{ text, allowed string }{ // of rates, in order
		{"all", "yyyyyy"},
		{"random(0.25)", "yyyyyy"},
		{"benchmark", "yyyyyy"},
		{"incident_only", "ynnnyy"},
		{"triggered(kocoro/sleep)", "nnynyy"},
		{"triggered(kocoro/other)", "nnnnyy"},
	} {
		s, err := corpus.ParseSelection(test.text)
		if err != nil {
			t.Error(err)
			continue
		}
		if s.String() != test.text {
			t.Errorf("%s is written as %s", test.text, s)
		}
		got := ""
		for _, r := range rates {
			ok, why := s.Allows(r, "kocoro/sleep")
			if ok != (why == "") {
				t.Errorf("%s: allowed %v, because %q", test.text, ok, why)
			}
			if ok {
				got += "y"
			} else {
				got += "n"
			}
		}
		if got != test.allowed {
			t.Errorf("%s allows %s, want %s", test.text, got, test.allowed)
		}
	}
	for _, bad := range []string{"", "some", "random", "random(0)", "random(2)", "random(x)", "random(0.5", "triggered()", "triggered", "all()", "all(", "benchmark(x)"} {
		if s, err := corpus.ParseSelection(bad); err == nil {
			t.Errorf("%q is %v", bad, s)
		}
	}
	if (corpus.Selection{}).Caveat() == "" || (corpus.Selection{Kind: "all"}).Caveat() != "" {
		t.Error("all needs no caveat, and nothing said needs one")
	}
}

func TestClusterOf(t *testing.T) {
	plain := &transcript.Session{ID: "s"}
	task := &transcript.Session{ID: "s", Recorded: transcript.Recorded{Task: "12", TaskSet: "retail"}}
	sub := &transcript.Session{ID: "s", Parent: "p"}
	incident := &corpus.Label{Spans: []corpus.Span{{}, {Incident: "INC-1"}}}
	named := &corpus.Label{Cluster: "c", Spans: incident.Spans}
	for _, test := range []struct {
		session *transcript.Session
		label   *corpus.Label
		key     string
		want    string
	}{
		{plain, nil, "session", "session:s"}, {plain, nil, "task", "session:s"}, {plain, nil, "incident", "session:s"}, {plain, nil, "label", "session:s"},
		{task, nil, "session", "session:s"}, {task, nil, "task", "task:retail:12"}, {task, named, "task", "label:c"},
		{plain, incident, "incident", "incident:INC-1"}, {plain, incident, "session", "session:s"}, {plain, named, "incident", "label:c"}, {plain, named, "session", "label:c"},
		{sub, nil, "session", "session:p"}, {sub, nil, "task", "session:p"},
	} {
		if got := corpus.ClusterOf(test.session, test.label, test.key); got != test.want {
			t.Errorf("%+v by %s: %s, want %s", test.session, test.key, got, test.want)
		}
	}
	for in, want := range map[string]string{"": "session", "task_id": "task", "instance_id": "task", "label": "label"} {
		if got, err := corpus.ParseClusterKey(in); got != want || err != nil {
			t.Errorf("%q: %s %v", in, got, err)
		}
	}
	if _, err := corpus.ParseClusterKey("colour"); err == nil {
		t.Error("colour is no key")
	}
}
