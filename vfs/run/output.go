package run

import (
	"fmt"
	"io"
	"os"
	"sync"
	"unicode/utf8"
)

// chunk is a piece of output that ends between two characters.
type chunk struct {
	text   string
	stream Stream
}

// output reads the streams of one command and hands them on, on one goroutine.
type output struct {
	chunks  chan chunk
	readers sync.WaitGroup
	done    chan struct{}
	kept    map[Stream]*kept
	on      func(string, Stream)
}

func collect(on func(string, Stream), maxBytes int, stdout, stderr *os.File) *output {
	o := &output{
		chunks: make(chan chunk),
		done:   make(chan struct{}),
		kept:   map[Stream]*kept{Stdout: {limit: maxBytes}, Stderr: {limit: maxBytes}},
		on:     on,
	}
	o.readers.Go(func() { o.read(&pipe{file: stdout}, Stdout) })
	o.readers.Go(func() { o.read(&pipe{file: stderr}, Stderr) })
	go o.deliver()
	return o
}

// wait returns when both streams have ended and everything was handed on.
func (o *output) wait() {
	o.readers.Wait()
	close(o.chunks)
	<-o.done
}

func (o *output) deliver() {
	defer close(o.done)
	for piece := range o.chunks {
		o.kept[piece.stream].add(piece.text)
		if o.on != nil {
			o.on(piece.text, piece.stream)
		}
	}
}

func (o *output) read(from io.Reader, stream Stream) {
	buf := make([]byte, 32<<10)
	held := 0
	for {
		n, err := from.Read(buf[held:])
		have := held + n
		whole := have
		if err == nil {
			whole -= partial(buf[:have])
		}
		if whole > 0 {
			o.chunks <- chunk{text: string(buf[:whole]), stream: stream}
		}
		held = copy(buf, buf[whole:have])
		if err != nil {
			return
		}
	}
}

// partial returns how many bytes at the end of b begin a character that is not there whole.
func partial(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if last := b[len(b)-n]; utf8.RuneStart(last) {
			if last >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// kept is the beginning and the end of a stream, each half of limit at most.
type kept struct {
	limit   int
	head    []byte
	tail    []byte
	dropped int64
}

func (k *kept) add(text string) {
	half := k.limit / 2
	if room := k.limit - half - len(k.head); room > 0 && len(k.tail) == 0 && k.dropped == 0 {
		n := min(room, len(text))
		k.head = append(k.head, text[:n]...)
		text = text[n:]
	}
	k.tail = append(k.tail, text...)
	// Twice the half before it is cut: cutting for every chunk would copy all of it each time.
	if len(k.tail) > 2*half+64<<10 {
		k.cut(half)
	}
}

func (k *kept) cut(half int) {
	if surplus := len(k.tail) - half; surplus > 0 {
		k.dropped += int64(surplus)
		k.tail = append(k.tail[:0], k.tail[surplus:]...)
	}
}

func (k *kept) String() string {
	k.cut(k.limit / 2)
	if k.dropped == 0 {
		return string(k.head) + string(k.tail)
	}
	// The cuts fall anywhere; what is left of a character on either side goes too.
	head := k.head[:len(k.head)-partial(k.head)]
	tail := k.tail
	for n := 0; n < utf8.UTFMax-1 && len(tail) > 0 && !utf8.RuneStart(tail[0]); n++ {
		tail = tail[1:]
	}
	gone := k.dropped + int64(len(k.head)-len(head)) + int64(len(k.tail)-len(tail))
	total := gone + int64(len(head)) + int64(len(tail))
	return fmt.Sprintf("%s\n[%d of %d bytes dropped here]\n%s", head, gone, total, tail)
}
