package steps

// A CallCount numbers the calls of a recorded response, where streams are not
// known. The zero CallCount begins one.
type CallCount struct {
	ids map[string]int
	n   int
}

// Add returns how many different calls there have been with this one; of a call
// that came before, its number. A call with a number above a limit is one that
// the limit does not forward, so one number answers every limit. A call without
// an id is like no other.
func (c *CallCount) Add(id string) int {
	if n, ok := c.ids[id]; ok {
		return n
	}
	c.n++
	if id != "" {
		if c.ids == nil {
			c.ids = make(map[string]int)
		}
		c.ids[id] = c.n
	}
	return c.n
}
