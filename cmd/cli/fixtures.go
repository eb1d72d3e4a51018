package cli

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundhog/corpus"
	"groundhog/formats"
	"groundhog/formats/script"
)

// writeFixtures writes sessions with their labels as .session files, for the
// commit that rests on them. A file that says something else is not overwritten.
func (a *app) writeFixtures(dir string, ids []string, found *formats.Found, labels *corpus.Labels) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return usagef("--fixtures: %v", err)
	}
	var losses []formats.Loss
	for _, u := range found.Units {
		if !slices.Contains(ids, u.Session.ID) {
			continue
		}
		text, lost, err := a.fixture(u, labels.Of(u.Session.ID))
		if err != nil {
			return err
		}
		for _, l := range lost {
			at := slices.IndexFunc(losses, func(have formats.Loss) bool { return have.What == l.What })
			if at < 0 {
				losses = append(losses, l)
			} else {
				losses[at].N += l.N
			}
		}
		path := filepath.Join(dir, fixtureName(u.Session.ID))
		if have, err := os.ReadFile(path); err == nil && !bytes.Equal(have, text) {
			return usagef("--fixtures: %s is there already and says something else: name another folder", path)
		}
		if err := a.writeFile(path, text); err != nil {
			return err
		}
	}
	for _, l := range losses {
		a.warnf("a .session file cannot hold %s: %d left out", l.What, l.N)
	}
	a.warnf("wrote %d sessions to %s", len(ids), dir)
	return nil
}

// fixture is a session as a .session file, with its label in it.
func (a *app) fixture(u *formats.Unit, l *corpus.Label) ([]byte, []formats.Loss, error) {
	session := *u.Session
	if session.Label == nil && l != nil {
		raw, err := json.Marshal(l, json.OmitZeroStructFields(true), json.Deterministic(true),
			jsontext.AllowInvalidUTF8(true))
		if err != nil {
			return nil, nil, fmt.Errorf("label of %s: %w", session.ID, err)
		}
		session.Label = raw
	}
	whole := *u
	whole.Session = &session
	var out bytes.Buffer
	w := script.Format.Write(&out)
	if _, _, err := a.write(w, &whole); err != nil {
		return nil, nil, err
	}
	if err := w.Close(); err != nil {
		return nil, nil, err
	}
	var losses []formats.Loss
	if lossy, ok := w.(formats.Lossy); ok {
		losses = lossy.Losses()
	}
	return out.Bytes(), losses, nil
}

var unfit = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// longestName bounds the name of a fixture: an id may be a whole path.
const longestName = 80

// fixtureName is a session's id as the name of a file. Where it had to be changed
// a hash keeps ids apart.
func fixtureName(id string) string {
	name := unfit.ReplaceAllString(id, "-")
	if name != id || len(name) > longestName {
		sum := sha256.Sum256([]byte(id))
		name = fmt.Sprintf("%s-%x", name[:min(len(name), longestName)], sum[:4])
	}
	return name + ".session"
}
