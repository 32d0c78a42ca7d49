package guard

import (
	"fmt"
	"testing"

	"github.com/dop251/goja"
)

// ordinary are programs that use the changed built-ins as programs do. Their result, or what they throw, must be the
// same in a bare runtime.
var ordinary = []string{
	// arrays
	`[1,2,3].join()`, `[1,[2,[3]]].join("-")`, `[null,undefined,1,,2].join()`, `[].join()`, `[1].join(undefined)`, `[1,2].join(null)`,
	`const a=[1]; a.push(a); a.join()`, `[{toString(){return "x"}},2].join("|")`, `[[],{}].toString()`, `String([1,[2,"é"]])`,
	`[{toString(){return "x"}},,3].join("|")`, `Array.prototype.join.call({length:3,0:"a",2:"c"},"/")`, `[Symbol()].join()`, `[1n,2n].join()`,
	`[3,1,2].sort()+""`, `[10,9,1].sort()+""`, `[3,undefined,1,,2].sort().length`, `JSON.stringify([3,undefined,1].sort())`, `["b","a","C"].sort()+""`,
	`[3,1,2].sort((a,b)=>b-a)+""`, `[3,1,2].sort(undefined)+""`, `[1].sort(null)`, `[1].sort("x")`, `[3,1,2].toSorted()+""`, `[3,1,2].toSorted((a,b)=>a-b)+""`,
	`[1].toSorted({})`, `Array.prototype.sort.call({length:3,0:3,1:1,2:2})[0]`, `const a=[3,1]; a.sort()===a`, `Object.freeze([2,1]).sort()`,
	`[{k:1,v:"a"},{k:0,v:"b"},{k:1,v:"c"},{k:0,v:"d"}].sort((a,b)=>a.k-b.k).map(x=>x.v).join("")`, `[true,false,null,"x",5].sort()+""`, `[2n,10n,1n].sort()+""`,
	`["é","e","z","a"].sort()+""`, `[3,2,1].sort(()=>NaN)+""`, `[3,2,1].sort(()=>"1")+""`, `[1,2,3].sort(()=>{throw new Error("x")})`,
	`JSON.stringify([1,[2,[3,[4]]]].flat())`, `JSON.stringify([1,[2,[3,[4]]]].flat(Infinity))`, `JSON.stringify([1,[2]].flat(0))`, `[[1,,2],,[3]].flat().length`,
	`class A extends Array{}; const a=A.from([[1],[2]]).flat(); [a instanceof A, a.length, a[1]]+""`, `Array.prototype.flat.call({length:2,0:[1],1:2})+""`, `[[1],[2]].flat("1")+""`,
	`JSON.stringify([1,2].flatMap(x=>[x,[x]]))`, `[1,2,3,4,5].fill(0,1,3)+""`, `[1,2,3].fill(9,-1)+""`, `Array(3).fill().length`, `Array.prototype.fill.call({length:2},1)[1]`,
	`Array(10000).fill(7,-3).lastIndexOf(7)`, `Array(10000).fill(7,5,-5).filter(x=>x===7).length`, `[1,2].concat(3,[4,[5]])+""`, `[].concat({length:2,[Symbol.isConcatSpreadable]:true,0:1,1:2})+""`,
	`Array.from({length:3},(_, i)=>i*i)+""`, `Array.from("héy")+""`, `Array.from(new Set([1,1,2]))+""`, `Array.from([1,2])+""`, `Array.from({})+""`, `Array.from(null)`,
	`class A extends Array{}; A.from([1]) instanceof A`, `Array(3).length`, `new Array(3,4)+""`, `Array("3")+""`, `Array(-1)`, `Array(1.5)`, `new Array(2**32)`,
	`[1,2,3].indexOf(2)`, `[1,2,3].includes(NaN)`, `[NaN].includes(NaN)`, `[1,2,3].reverse()+""`, `[1,2,3,4].splice(1,2)+""`, `[1,2,3].slice(-2)+""`, `[1,2].map(x=>x*2)+""`,
	`[1,2,3].reduce((a,b)=>a+b)`, `[].reduce((a,b)=>a)`, `[1,2,3].with(1,9)+""`, `[1,2,3].toSpliced(1,1)+""`, `[..."añb"].length`, `[...[1,2].entries()]+""`, `[1,2].toLocaleString()`,
	`Array.prototype.indexOf.call("abc","b")`, `Array.prototype.map.call("ab",x=>x+x)+""`, `Array.prototype.slice.call(null)`, `[1,2].at(-1)`, `[1,2,3].copyWithin(0,1)+""`,
	// strings
	`"ab".repeat(3)`, `"ab".repeat(0)`, `"ab".repeat(-1)`, `"ab".repeat(Infinity)`, `"ab".repeat("2")`, `"é".repeat(2)`, `"".repeat(1000)`, `String.prototype.repeat.call(12,2)`, `String.prototype.repeat.call(null,2)`,
	`"a".padStart(5)`, `"a".padEnd(5,"xy")`, `"abc".padStart(2)`, `"a".padStart(3,"")`, `"a".padEnd()`, `"é".padStart(4,"ñ")`, `"a".concat("b",1,null)`, `String.prototype.concat.call(1,2)`,
	`"aXbX".replace("X","$&$&")`, `"aXbX".replaceAll("X","[$` + "`" + `|$']")`, `"aXb".replace("X",()=>"y")`, `"aaa".replaceAll("a",(m,i)=>i)`, `"abc".replaceAll("","-")`, `"x".replace("x",undefined)`, `"undefined".replace()`,
	`"abc".replace({[Symbol.replace]:(s,r)=>s+r},"z")`, `"aXb".replaceAll(/X/,"")`, `"a,b".split(",")+""`, `"abc".split("")+""`, `"a,b,c".split(",",2)+""`, `"abc".split().length`, `"abc".split(undefined,0).length`, `"é,ñ".split(",")+""`,
	`"Å".normalize("NFD").length`, `"a".normalize("X")`, `encodeURIComponent("é&")`, `encodeURI("é&")`, `escape("é")`, "String.raw`a\\n${1}`", `String.raw({raw:"abc"},1,2)`, `String.raw()`,
	// buffers
	`new ArrayBuffer(8).byteLength`, `new ArrayBuffer(-1)`, `new ArrayBuffer().byteLength`, `new ArrayBuffer("8").byteLength`, `ArrayBuffer(8)`, `new Uint8Array([1,2,300])+""`, `new Uint8Array(3)+""`, `new Uint8Array("2").length`, `Uint8Array(2)`,
	`new Uint16Array(new Uint8Array([1,2]))+""`, `new Uint8Array(new ArrayBuffer(8),2,3).length`, `Uint8Array.from("123")+""`, `Uint8Array.from([1,2],x=>x*2)+""`, `Uint8Array.of(1,2)+""`, `new BigInt64Array([1n])+""`, `new Uint8Array([1n])`,
	`new Float64Array({length:2,0:1.5})+""`, `new Uint8Array(new Set([1,2]))+""`, `const u=new Uint8Array(4); u.set([1,2],1); u+""`, `new Uint8Array([3,1,2]).sort()+""`, `new Uint8Array(-1)`, `new Uint8Array(undefined).length`, `new Uint8Array(null).length`, `class B extends Uint8Array{}; new B(2) instanceof B`,
	// functions
	`Math.max.apply(null,[1,3,2])`, `Math.max.apply(null)`, `Reflect.apply(Math.max,null,[1,2])`, `Reflect.construct(Date,[0]).getTime()`, `Reflect.apply(1)`, `(function(){return arguments.length}).apply(null,{length:2})`,
	`const f=(function(a,b){return [this.x,a,b]+""}).bind({x:1},2); f(3)+f.name+f.length`, `Function("a","b","return a+b")(1,2)`, `new Function("return 1")()`, `Function("(")`, `Function()()`, `Function.prototype.bind.call(1)`,
	`eval("1+1")`, `eval(5)`, `eval("(")`, `eval()`, `(0,eval)("var q=1; q+1")`, `(async()=>{}).constructor("await 1").name`, `[...(function*(){}).constructor("yield 1; yield 2")()]+""`, `eval.name+eval.length+eval`,
	`function* g(n){ if(n){ yield n; yield* g(n-1) } } [...g(5)]+""`, `const g=(function*(){try{yield 1}finally{yield 2}})(); g.next(); g.return(9).value`, `const g=(function*(){try{yield 1}catch(e){yield e}})(); g.next(); g.throw(7).value`,
	`new Proxy([1,2],{}).length`, `Array.isArray(new Proxy([],{}))`, `new Proxy(1,{})`, `Proxy({}, {})`, `Proxy.revocable({a:1},{}).proxy.a`,
	// objects
	`Object.keys("abc")+""`, `Object.entries([1,2])+""`, `Object.values({a:1})+""`, `Object.keys(null)`, `JSON.stringify(Object.assign({},"ab",null,{c:1}))`, `Object.isFrozen(Object.freeze([1]))`, `Reflect.ownKeys([1])+""`, `Object.getOwnPropertyNames("ab")+""`,
	// numbers
	`BigInt("12")`, `BigInt(12)`, `BigInt("x1")`, `BigInt(1.5)`, `BigInt.asIntN(8,255n)`, `BigInt.asUintN(8,-1n)`, `BigInt.asIntN(-1,1n)`, `BigInt.asIntN(2**53,1n)`, `BigInt.asIntN(8)`, `(255n).toString(16)`, `(1n).toString(99)`, `(5n).toLocaleString()`, `Math.pow(2,10)`, `Math.pow("2",0.5)`, `Math.pow(2n,1)`, `Math.pow()`, `2n**64n`,
	// JSON
	`JSON.stringify({a:[1,"x",null,undefined,()=>1],b:undefined,c:{d:1}})`, `JSON.stringify({b:1,a:2},["a","b"])`, `JSON.stringify({a:{b:1,c:2}},["a","c"])`, `JSON.stringify([{a:1,b:2}],["b",1,new String("a"),{}])`, `JSON.stringify({a:1,b:[2]},null,2)`, `JSON.stringify({a:1},null,"--")`,
	`JSON.stringify({a:1,b:2},(k,v)=>k==="a"?undefined:v)`, `JSON.stringify({a:{b:1}},function(k,v){return k==="b"?this.b+1:v})`, `JSON.stringify([1],(k,v)=>Array.isArray(v)?v:String(v))`, `JSON.stringify("x")`, `JSON.stringify(undefined)`, `JSON.stringify(()=>1)`, `JSON.stringify(Symbol())`, `JSON.stringify()`, `JSON.stringify(1n)`, `JSON.stringify({a:1n})`,
	`JSON.stringify(new Date(0))`, `JSON.stringify({toJSON(k){return k+"!"}})`, `JSON.stringify({x:{toJSON(k){return {k}}}})`, `JSON.stringify([new Number(1),new String("s"),new Boolean(false)])`, `JSON.stringify(new Map([[1,2]]))`, `JSON.stringify([,1])`, `JSON.stringify({a:NaN,b:Infinity})`, `JSON.stringify({"é\n\"":"\u2028\ud800"})`,
	`const o={}; o.o=o; JSON.stringify(o)`, `const a={x:1}; JSON.stringify([a,a,{a}])`, `JSON.stringify(JSON.rawJSON("1"))`, `JSON.stringify({r:JSON.rawJSON("1.0")})`, `JSON.stringify(new Proxy({a:1},{}))`, `JSON.stringify(new Proxy([1],{}))`, `JSON.stringify({get a(){throw new Error("g")}})`, `JSON.stringify({a:1},(k,v)=>{throw new Error("r")})`, `JSON.stringify(new Error("x"),["message"])`, `JSON.stringify({a:[{b:1,c:[{b:2}]}]},["a","b"])`,
	`JSON.parse('{"a":[1,"x",null,true],"b":{"c":1.5}}').b.c`, `JSON.parse("[1,2]")+""`, `JSON.parse("")`, `JSON.parse("{")`, `JSON.parse("[1,]")`, `JSON.parse("1 2")`, `JSON.parse()`, `JSON.parse('"\\u00e9\\n"')`, `JSON.parse('{"__proto__":1}').__proto__`, `JSON.parse("[1,2,3]",(k,v)=>Array.isArray(v)?v:v*2)+""`, `JSON.parse('{"a":{"b":[1,{"c":2}]},"d":null}',function(k,v){return k==="c"?undefined:typeof v==="number"?v+1:v}).a.b[0]`, `const ks=[]; JSON.parse('{"b":[1,2],"a":{"x":1}}',(k,v)=>{ks.push(k);return v}); ks+""`, `JSON.parse("1",(k,v)=>[k,v]+"")`, `JSON.parse("[1,2]",(k,v)=>k==="0"?undefined:v).hasOwnProperty(0)`, `JSON.parse("1",{})`, `JSON.parse({toString(){return "5"}})`, `JSON.parse(null)`, `JSON.parse('"["')`, `JSON.parse('{"a":1,"a":2}').a`,
	// regular expressions
	`/a(b)?/.exec("xab").index`, `/a(b)?/.exec("xa")+""`, `/z/.exec("a")`, `/a/g.test("ba")`, `const r=/a/g; r.test("aa"); r.lastIndex`, `const r=/a/y; [r.test("ab"),r.lastIndex,r.test("ab"),r.lastIndex]+""`, `"abcabc".match(/b/g)+""`, `"abc".match(/z/g)`, `"abc".match("b").index`, `"abc".match()+""`,
	`[..."a1b2".matchAll(/[a-z](\d)/g)].map(m=>m[1])+""`, `"a".matchAll(/a/)`, `"abc".search(/c/)`, `"abc".search("z")`, `"a1b2".split(/\d/)+""`, `"a1b2".split(/(\d)/)+""`, `"abc".split(/(?:)/)+""`, `"a1b2".split(/\d/,1)+""`, `"".split(/x/).length`,
	`"a1b2".replace(/\d/g,"<$&>")`, `"John Smith".replace(/(?<f>\w+) (?<l>\w+)/,"$<l> $<f>")`, `"aa".replace(/a/g,(m,i,s)=>i+s)`, `"a".replace(/(?<x>a)/,(...p)=>p.at(-1).x)`, `"aXX".replace(/X/g,"$$")`, `"abc".replace(/z/,"y")`, `"abc".replaceAll(/[ac]/g,"")`,
	`RegExp("a/b").source`, `RegExp("")+""`, `new RegExp(/a/g).flags`, `new RegExp(/a/g,"i").flags`, `const r=/a/; RegExp(r)===r`, `RegExp("(")`, `RegExp("a","zz")`, `RegExp(undefined)+""`, `new RegExp(null).source`, `/a/ instanceof RegExp`, `/a/.constructor===RegExp`, `class R extends RegExp{}; const r=new R("a","g"); [r instanceof R,r.flags,"aa".replace(r,"b")]+""`, `RegExp[Symbol.species]===RegExp`,
	`RegExp.prototype.exec.call({})`, `RegExp.prototype.toString.call({source:"a",flags:"g"})`, `RegExp.prototype.source`, `/(?<y>\d{4})-(?<m>\d\d)/.exec("2020-12").groups.m`, `/(?<=a)b/.exec("ab").index`, `/(a)\1/.test("aa")`, `/\u{1F600}/u.test("😀")`, `"😀x".split(/x/u)+""`, `const r=/a/g; r.exec=()=>null; "a".replace(r,"b")`, `/a/.compile("b","g")+""`, `"x".replace(/x/,{toString(){return "o"}})`,
	"new RegExp('a\\\\p{b').source",
}

func TestOrdinaryProgramsBehaveTheSame(t *testing.T) {
	for _, script := range ordinary {
		if got, want := outcomeOf(newRuntime(t), script), outcomeOf(goja.New(), script); got != want {
			t.Errorf("%s\n\tguarded %s\n\tbare    %s", script, got, want)
		}
	}
	t.Logf("%d programs", len(ordinary))
}

func outcomeOf(rt *goja.Runtime, script string) (outcome string) {
	defer func() {
		if x := recover(); x != nil {
			outcome = fmt.Sprintf("panic %v", x)
		}
	}()
	value, err := rt.RunString(script)
	if err != nil {
		if thrown, ok := err.(*goja.Exception); ok {
			return "throws " + thrown.Value().String()
		}
		return "fails " + err.Error()
	}
	return fmt.Sprintf("%s %v", value.ExportType(), value)
}

// TestReachableBuiltinsLookTheSame walks everything that can be reached from the global object and compares names,
// order, attributes, and how functions describe themselves.
func TestReachableBuiltinsLookTheSame(t *testing.T) {
	const walk = `
	const seen = new Map(), lines = [];
	const visit = (value, path) => {
		if (value === null || typeof value !== "object" && typeof value !== "function") return typeof value + " " + String(value);
		if (seen.has(value)) return "seen " + seen.get(value);
		seen.set(value, path);
		for (const key of Reflect.ownKeys(value)) {
			const d = Object.getOwnPropertyDescriptor(value, key), at = path + "." + String(key);
			lines.push([at, d.writable, d.enumerable, d.configurable, visit(d.value, at), visit(d.get, at + ".get"), visit(d.set, at + ".set")].join(" "));
		}
		lines.push(path + " proto " + visit(Object.getPrototypeOf(value), path + ".__proto__"));
		return typeof value === "function" ? String(value) : Object.prototype.toString.call(value);
	};
	visit(globalThis, "globalThis");
	visit(Object.getPrototypeOf(function* () {}), "GeneratorFunction");
	visit(Object.getPrototypeOf(async () => {}), "AsyncFunction");
	for (const of of [[], "", new Map, new Set]) visit(of[Symbol.iterator](), "iterator");
	lines`
	lines := func(rt *goja.Runtime) []string {
		value, err := rt.RunString("(() => {" + walk[:len(walk)-len("lines")] + "return lines})()")
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		if err := rt.ExportTo(value, &list); err != nil {
			t.Fatal(err)
		}
		return list
	}
	got, want := lines(newRuntime(t)), lines(goja.New())
	if len(got) != len(want) {
		t.Errorf("%d properties, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("guarded %s\n\tbare    %s", got[i], want[i])
		}
	}
	t.Logf("%d properties", len(want))
}
