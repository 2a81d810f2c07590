/** The style of the page at /docs: plain, readable, light and dark. */
export const DOCS_STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1d2733, #dce3ea); --soft: light-dark(#5b6875, #97a5b3); --paper: light-dark(#fff, #12181f);
  --panel: light-dark(#f5f7f9, #1a222b); --line: light-dark(#dde3e9, #2c3845); --link: light-dark(#0b5cad, #7db8f5);
  --get: light-dark(#0b6e4f, #58c99f); --post: light-dark(#0b5cad, #7db8f5); --put: light-dark(#96560a, #e6ad5c); }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); color: var(--ink); background: var(--paper);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: .88em; }
code { overflow-wrap: anywhere; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem 2rem 1.25rem; background: var(--panel); border-right: 1px solid var(--line); font-size: .88rem; }
nav p { margin: 1.1rem 0 .25rem; font-weight: 650; } nav p:first-child { margin-top: 0; }
nav p a { color: var(--ink); }
nav ul { list-style: none; margin: 0; padding: 0; } nav li a { display: block; padding: .14rem 0; color: var(--soft); } nav li a:hover { color: var(--link); }
nav li a { padding-left: 2.6rem; text-indent: -2.6rem; } nav li a:not(:has(b)) { padding-left: 0; text-indent: 0; }
nav b { display: inline-block; width: 2.6rem; text-indent: 0; font-size: .68rem; letter-spacing: .04em; }
main { max-width: 60rem; padding: 2rem 3rem 6rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; } h1 small { font-size: .9rem; font-weight: 400; color: var(--soft); }
.lead { font-size: 1.1rem; color: var(--soft); margin-top: 0; }
h2 { margin: 3.2rem 0 .4rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); font-size: 1.4rem; }
h3 { margin: 0 0 .3rem; font-size: 1.1rem; }
h4 { margin: 1.2rem 0 .4rem; font-size: .75rem; text-transform: uppercase; letter-spacing: .07em; color: var(--soft); }
p { margin: .5rem 0; }
article { margin: 1.6rem 0; } .operation { padding: 1.2rem 1.4rem; border: 1px solid var(--line); border-radius: 8px; }
.line { display: flex; gap: .7rem; align-items: baseline; padding: .5rem .8rem; background: var(--panel); border-radius: 6px; }
.line code { font-size: .95rem; } .security { margin-left: auto; color: var(--soft); font-size: .8rem; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); }
table { width: 100%; border-collapse: collapse; margin: .6rem 0; font-size: .9rem; }
th, td { padding: .4rem .8rem .4rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); font-weight: 400; }
thead th { color: var(--soft); font-size: .75rem; } tbody tr:last-child > * { border-bottom: 0; }
tbody th { width: 30%; padding-left: calc(var(--depth, 0) * 1.1rem); } td:last-child { padding-right: 0; }
.named tbody th { width: 12rem; } .named td code { white-space: nowrap; }
.schema td:nth-child(2), .operation td { color: var(--soft); } .schema td:last-child, .operation td:last-child { color: inherit; }
em { color: var(--put); font-style: normal; font-size: .75rem; white-space: nowrap; }
.answer { margin: .5rem 0 .9rem; } .status { color: var(--get); margin-right: .4rem; }
.content { color: var(--soft); margin: .2rem 0; } .errors { color: var(--soft); } .errors a { margin-left: .3rem; }
details { margin: .35rem 0; } summary { cursor: pointer; color: var(--link); font-size: .9rem; }
pre { margin: .4rem 0 .8rem; padding: .8rem 1rem; overflow-x: auto; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; line-height: 1.45; }
:target { outline: 2px solid var(--link); outline-offset: 6px; border-radius: 6px; }
@media (max-width: 60rem) { body { display: block; } nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); } main { padding: 1.2rem; } }
@media print { nav { display: none; } body { display: block; } details > * { display: block; } }
`;
