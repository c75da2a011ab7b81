/**
 * The style sheet of pages without script, shared pages and the guide. Each page embeds it, and its hash permits it. The
 * face of the application is fetched from this server.
 */
export const STYLE = `
@font-face{font-family:Daybook;src:url(/app/icons/english.woff2) format("woff2");font-weight:400 700;font-display:swap;unicode-range:U+0-7F,U+A0,U+B7,U+D7,U+304,U+308,U+2013-2014,U+2018-2019,U+201C-201D,U+2022,U+2026,U+2212}
@font-face{font-family:Daybook;src:url(/app/icons/latin.woff2) format("woff2");font-weight:400 700;font-display:swap;unicode-range:U+A1-B6,U+B8-D6,U+D8-FF,U+131,U+152-153,U+201A-201B,U+201E-2021,U+20AC,U+2122,U+2191,U+2193}
:root{color-scheme:light dark;--ground:light-dark(#f5f2ed,#14110e);--paper:light-dark(#fefdfb,#1c1916);--sunk:light-dark(#f2efe9,#26221e);--line:light-dark(#e5e1da,#35312c);--edge:light-dark(#8d867b,#7d766c);--rule:light-dark(#e9aea2,#7d3d33);--ink:light-dark(#211d19,#eeeae3);--ink-2:light-dark(#4f4942,#c0b9af);--ink-3:light-dark(#625b53,#a39b90);--accent:light-dark(#224d7d,#8fc0f2);--on:light-dark(#fcfdff,#101b2b);--bad:light-dark(#a1261d,#f0a79e);--bad-wash:light-dark(#fbeae7,#46211d);--lies:0 1px 2px light-dark(rgb(70 50 20/.08),rgb(0 0 0/.35)),0 10px 30px light-dark(rgb(70 50 20/.06),rgb(0 0 0/.3)),0 0 0 1px light-dark(rgb(70 50 20/.07),rgb(255 245 230/.07))}
*{box-sizing:border-box}
html{background:var(--ground);color:var(--ink);font:1.0625rem/1.65 Daybook,system-ui,-apple-system,"Segoe UI","Noto Sans",sans-serif;overflow-wrap:anywhere}
body{margin:0;min-height:100dvh;display:flex;flex-direction:column;align-items:center;padding:2.5rem 1rem 0}
header,footer{width:min(52rem,100%);color:var(--ink-3);font-size:.8125rem;text-align:center}
header{padding-bottom:.75rem}footer{margin-top:auto;padding:1.5rem 0}
main{--m:3.5rem;width:min(52rem,100%);padding:2rem 2.5rem 2.5rem calc(var(--m) + 1.5rem);border-radius:.75rem;background:linear-gradient(var(--rule),var(--rule)) no-repeat var(--m) 0/1px 100% var(--paper);box-shadow:var(--lies)}
main.broad{width:100%}
h1{font-size:clamp(1.75rem,4vw,2.125rem);line-height:1.18;letter-spacing:-.022em;margin:0 0 .5rem}
h2{font-size:1.375rem;line-height:1.35;margin:1.75rem 0 .5rem}h3{font-size:1.125rem;margin:1.5rem 0 .5rem}h4,h5{font-size:1rem;margin:1.25rem 0 .5rem}
p,ul,ol,blockquote,pre,.wide{margin:0 0 1rem}.by{color:var(--ink-3);font-size:.875rem;margin-bottom:1.5rem}
a{color:var(--accent);text-underline-offset:.15em}
img{max-width:100%;height:auto;border-radius:.5rem}
blockquote{border-inline-start:3px solid var(--line);padding-inline-start:1rem;color:var(--ink-2)}
.md-callout{--hue:var(--accent);border-color:var(--hue);background:color-mix(in oklab,var(--hue) 8%,transparent);border-radius:0 .5rem .5rem 0;padding:.75rem 1rem;color:inherit}.md-callout>:last-child{margin:0}.md-callout-name{margin:0 0 .25rem;color:var(--hue);font-weight:650}:is(.md-warning,.md-caution){--hue:light-dark(#85560a,#e5b566)}:is(.md-danger,.md-bug){--hue:var(--bad)}:is(.md-tip,.md-success){--hue:light-dark(#22663d,#8fd0a4)}
code{font:.9em ui-monospace,Menlo,Consolas,monospace;background:var(--sunk);border-radius:.25rem;padding:.1em .3em}
pre{background:var(--sunk);border-radius:.5rem;padding:.875rem 1rem;overflow:auto;font-size:.875rem;line-height:1.5}pre code{padding:0;background:none}.code-keyword{color:light-dark(#6a3a8c,#cfa8ea)}.code-string{color:light-dark(#22663d,#8fd0a4)}.code-value{color:light-dark(#8a4a12,#ecb27c)}.code-comment{color:var(--ink-3);font-style:italic}.math{white-space:pre-wrap}mark{color:inherit;background:light-dark(#f8e8a0,#5a4a1c)}
.plain{white-space:pre-wrap;font:inherit;background:none;padding:0}
.task{list-style:none;margin-inline-start:-1.5em}.check{display:inline-block;width:1.5em}.dim{color:var(--ink-3)}
.wide{overflow:auto}table{border-collapse:collapse;font-size:.9375rem;line-height:1.45}
td{overflow-wrap:break-word;min-width:7rem}th,td{border-bottom:1px solid var(--line);padding:.5rem .75rem;text-align:start;vertical-align:top}th{color:var(--ink-2);font-weight:600;white-space:nowrap}th a{color:inherit}.right,.number{text-align:end;font-variant-numeric:tabular-nums}.center{text-align:center}
.list{list-style:none;padding:0}.list li{display:flex;gap:1rem;justify-content:space-between;border-bottom:1px solid var(--line);padding:.625rem 0}.list time{color:var(--ink-3);font-size:.8125rem;white-space:nowrap}
.pages{display:flex;gap:1.25rem;margin-top:1rem;font-size:.9375rem}
.board{display:flex;gap:1rem;overflow:auto;align-items:start}.board section{flex:0 0 16rem;background:var(--sunk);border-radius:.625rem;padding:.75rem}.board h2{font-size:.9375rem;margin:0 0 .5rem}.card{background:var(--paper);box-shadow:0 1px 2px light-dark(rgb(70 50 20/.12),rgb(0 0 0/.4));border-radius:.5rem;padding:.5rem .75rem;margin-bottom:.5rem;font-size:.9375rem;line-height:1.4}
hr{border:0;border-top:1px solid var(--line);margin:1.5rem 0}
caption{text-align:start;font-weight:600;padding-block:.5rem}.month{width:100%}.month i{display:none}.out{color:var(--ink-3);background:var(--sunk)}.month td{width:14%;height:6rem;border:1px solid var(--line);font-size:.8125rem}.month td>b{color:var(--ink-3);font-weight:500}.month p{margin:.125rem 0;background:var(--sunk);border-radius:.25rem;padding:.125rem .375rem}
dl{display:grid;grid-template-columns:auto 1fr;gap:.125rem .75rem;margin:0}dt{color:var(--ink-3)}dd{margin:0}
form>p,fieldset{margin:0 0 1.25rem;border:0;padding:0}label,legend{display:block;font-weight:600;font-size:.9375rem}label i{font-weight:400;font-style:normal;color:var(--ink-3)}
input,select,textarea{width:100%;min-height:2.75rem;font:inherit;font-size:1rem;color:inherit;background:var(--paper);border:1px solid var(--edge);border-radius:.5rem;padding:.5rem .75rem}textarea{field-sizing:content;max-height:24rem}input[type=checkbox]{width:1.25rem;min-height:1.25rem;margin-inline-end:.625rem;vertical-align:-.2em}
input[type=file]{border-style:dashed}:is(input,select,textarea)[aria-invalid]{border-color:var(--bad);background:var(--bad-wash)}
:is(a,button,input,select,textarea,[tabindex]):focus-visible{outline:2px solid var(--accent);outline-offset:2px}
small{display:block;color:var(--ink-3);font-size:.875rem;line-height:1.5}.bad{color:var(--bad)}.banner{background:var(--bad-wash);color:var(--bad);border-radius:.5rem;padding:.75rem 1rem}
button{font:inherit;font-weight:600;color:var(--on);background:var(--accent);border:0;border-radius:.5rem;min-height:2.75rem;padding:.5rem 1.5rem}
.more{position:absolute;inset-inline-start:-200vw}
@media(max-width:45rem){body{padding:0;background:var(--paper)}header{padding:.75rem 1rem 0 2.75rem;text-align:start}main{--m:1.75rem;padding:1.25rem 1rem 2rem 2.75rem;border-radius:0;box-shadow:none}footer{padding-inline:1rem}button{width:100%}.month,.month caption,.month tbody,.month tr,.month td{display:block;width:auto;height:auto}.month thead,.month td:not(:has(p)){display:none}.month td{border-width:1px 0 0;padding-inline:0}.month i{display:inline;font-style:normal}dl{grid-template-columns:1fr}}
@media print{:root{color-scheme:light}html,body{display:block;padding:0;background:none}header,footer,.pages,button{display:none}main{width:auto;padding:0;background:none;box-shadow:none}.wide,.board{overflow:visible}a{color:inherit}pre{white-space:pre-wrap}}
`
