package globals

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"

	"github.com/dop251/goja"
)

// lendCrypto lends random(view), which fills it, uuid(), and
// digest(name, bytes) → promise of an ArrayBuffer, or undefined when the
// algorithm is unknown.
func (e *environment) lendCrypto(natives *goja.Object) {
	e.lend(natives, "random", func(call goja.FunctionCall) goja.Value {
		e.random(e.bytesOf(call.Argument(0), "crypto.getRandomValues: the argument"))
		return call.Argument(0)
	})
	e.lend(natives, "uuid", func(goja.FunctionCall) goja.Value {
		var id [16]byte
		e.random(id[:])
		return e.rt.ToValue(formatUUID(id))
	})
	e.lend(natives, "digest", func(call goja.FunctionCall) goja.Value {
		sum := digestOf(call.Argument(0).String())
		if sum == nil {
			return goja.Undefined()
		}
		data := bytes.Clone(e.bytesOf(call.Argument(1), "crypto.subtle.digest: the data"))
		work := func(context.Context) (any, error) { return sum(data), nil }
		return e.host.Async(work, func(result any) goja.Value {
			return e.rt.ToValue(e.rt.NewArrayBuffer(result.([]byte)))
		})
	})
}

func (e *environment) random(p []byte) {
	if err := e.host.Random(p); err != nil {
		panic(e.rt.NewGoError(fmt.Errorf("crypto: the random source: %w", err)))
	}
}

// formatUUID makes random bytes a version 4 UUID (RFC 9562 section 5.4).
func formatUUID(id [16]byte) string {
	id[6] = id[6]&0x0F | 0x40
	id[8] = id[8]&0x3F | 0x80
	text := hex.EncodeToString(id[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

func digestOf(name string) func([]byte) []byte {
	switch name {
	case "SHA-1":
		return func(data []byte) []byte { sum := sha1.Sum(data); return sum[:] }
	case "SHA-256":
		return func(data []byte) []byte { sum := sha256.Sum256(data); return sum[:] }
	case "SHA-384":
		return func(data []byte) []byte { sum := sha512.Sum384(data); return sum[:] }
	case "SHA-512":
		return func(data []byte) []byte { sum := sha512.Sum512(data); return sum[:] }
	}
	return nil
}
