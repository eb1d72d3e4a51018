package corpus

// Parse reads the text of a label file, without the file.
func (ls *Labels) Parse(name string, src []byte) error { return ls.parse(name, src) }
