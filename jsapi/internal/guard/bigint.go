package guard

import (
	"math/big"

	"github.com/dop251/goja"
)

// maxDigits bounds the text that BigInt reads, and maxBits a number that is made into text or raised to a power: both
// take time that grows faster than the size, tenths of a second at these limits.
const (
	maxDigits = 1 << 18
	maxBits   = 1 << 22
)

// bigints bounds what the members of BigInt make. The operators <<, * and + are bytecode of the engine and have no
// function to change; ** has none either, but becomes one when the compiler lowers it to Math.pow.
func (p *patcher) bigints() {
	g, constructor := p.guard, p.global("BigInt")
	p.method(p.rt.GlobalObject(), "BigInt", func(original native) native {
		return func(c goja.FunctionCall) goja.Value {
			if s, ok := c.Argument(0).(goja.String); ok && s.Length() > maxDigits {
				g.rangeErrorf("a number of %d digits exceeds the limit of %d", s.Length(), maxDigits)
			}
			return original(c)
		}
	})
	p.method(constructor, "asIntN", g.truncating)
	p.method(constructor, "asUintN", g.truncating)
	proto := p.object(constructor, "prototype")
	for _, name := range []string{"toString", "toLocaleString"} {
		p.method(proto, name, func(original native) native {
			return func(c goja.FunctionCall) goja.Value {
				if n, ok := bigInt(c.This); ok {
					g.checkBits(float64(n.BitLen()))
				}
				return original(c)
			}
		})
	}
	p.method(p.global("Math"), "pow", g.power)
}

func bigInt(v goja.Value) (*big.Int, bool) {
	if v.ExportType() != bigIntType {
		return nil, false
	}
	n, ok := v.Export().(*big.Int)
	return n, ok
}

func (g *guard) checkBits(bits float64) {
	if bits > maxBits {
		g.rangeErrorf("a BigInt of %.0f bits exceeds the limit of %d", bits, maxBits)
	}
}

// truncating answers for widths beyond the number itself: the engine makes 2 to the width first, whatever it is.
func (g *guard) truncating(original native) native {
	return func(c goja.FunctionCall) goja.Value {
		if len(c.Arguments) < 2 {
			return original(c)
		}
		width := c.Arguments[0].ToNumber()
		c.Arguments = append([]goja.Value{width}, c.Arguments[1:]...)
		bits := width.ToFloat()
		if bits <= maxBits || bits >= 1<<53 { // the latter is no index, which the original says
			return original(c)
		}
		g.checkBits(bits)
		return nil
	}
}

// power lets Math.pow raise a BigInt, bounded, so that the operator ** can be lowered to it (esbuild's
// exponent-operator). Without that, ECMA-262 has Math.pow refuse a BigInt.
func (g *guard) power(original native) native {
	return func(c goja.FunctionCall) goja.Value {
		base, ok := bigInt(c.Argument(0))
		exponent, also := bigInt(c.Argument(1))
		if !ok || !also || exponent.Sign() < 0 {
			return original(c)
		}
		if base.BitLen() > 1 {
			times, _ := new(big.Float).SetInt(exponent).Float64()
			g.checkBits(times * float64(base.BitLen()-1))
		} else if exponent.BitLen() > 1 { // 0, 1 and -1: only whether the exponent is odd counts
			exponent = big.NewInt(2 - int64(exponent.Bit(0)))
		}
		return g.rt.ToValue(new(big.Int).Exp(base, exponent, nil))
	}
}
