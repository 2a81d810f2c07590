import { LIST_PRINTED_MAX } from './markup.ts';

/**
 * The page's whole style: light and dark; phone, laptop and paper. Below 60rem a table row is a block, so nothing is
 * cut off.
 */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --page: #f6f7f9; --card: #fff; --ink: #1b2330; --soft: #566072; --line: #d9dde4; --link: #0b57a4; --bar: #7f93ad; --mark: #ffe58a;
  --high: #a3161d; --high-bg: #fde5e3; --medium: #7a5200; --medium-bg: #fdf0cf; --low: #3c4a5e; --low-bg: #e8ecf2; --new: #0b5c43; --new-bg: #d8f2e6 }
@media (prefers-color-scheme: dark) {
  :root { --page: #12161c; --card: #1b212a; --ink: #e7ebf1; --soft: #a7b1c0; --line: #343d4a; --link: #86bdf5; --bar: #6f86a5; --mark: #7a5f00;
    --high: #ffb3ae; --high-bg: #4a1c1e; --medium: #f4d58a; --medium-bg: #443310; --low: #c5cfdd; --low-bg: #2a3340; --new: #9be3c5; --new-bg: #123d2e }
}
* { box-sizing: border-box }
html { scroll-padding-top: 6rem }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.45 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif }
header, main, #find > div { max-width: 114rem; margin: 0 auto; padding: 0 1.25rem }
header { padding-block: 1rem .5rem }
main { padding-bottom: 3rem }
h1 { font-size: 1.6rem; margin: 0 }
h2 { font-size: 1.25rem; margin: 1.75rem 0 .6rem }
h3 { font-size: 1rem; margin: 0 }
h4 { font-size: .95rem; margin: .6rem 0 .2rem }
p { margin: .25rem 0 }
ul { margin: .3rem 0; padding-left: 1.2rem }
.soft { color: var(--soft) }
a { color: var(--link) }
mark { background: var(--mark); color: inherit; border-radius: .15rem }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
h2:focus-visible, article:focus-visible { outline: 0 }
[hidden] { display: none !important }
.skip { position: absolute; left: -999px }
.skip:focus { left: 1rem; top: 1rem; z-index: 3; background: var(--card); padding: .5rem 1rem }
input, select, button { font: inherit; padding: .3rem .5rem; border: 1px solid var(--soft); border-radius: .35rem; background: var(--card); color: var(--ink); max-width: 100% }
button { cursor: pointer }
button:disabled { cursor: default; color: var(--soft) }
[aria-pressed=true] { outline: 2px solid var(--link) }
summary { cursor: pointer; color: var(--link) }

/* The bar that stays in sight. */
#find { position: sticky; top: 0; z-index: 2; margin-top: 1rem; background: var(--card); border-block: 1px solid var(--line) }
#find > div { display: flex; flex-wrap: wrap; gap: .35rem .6rem; align-items: center; padding-block: .45rem }
#find label { display: flex; gap: .35rem; align-items: center; font-size: .875rem }
#find .search { flex: 1 1 16rem }
#find .search input { flex: 1; min-width: 0 }
#find .filters { display: flex; flex-wrap: wrap; gap: .35rem .6rem; align-items: center }
#find .filters select { max-width: 9rem }
#find .filters label:not(:last-child) span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
#find p { flex: 1 1 100%; margin: 0; font-size: .875rem }
#chips button { padding: 0 .5rem; border-radius: 1rem; background: var(--low-bg); border-color: var(--link) }
#filters { display: none }

/* Numbers, the riskiest houses, the worst roofs. */
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .6rem; margin: 0 0 .5rem; padding: 0; list-style: none }
.tiles > li > * { display: block; width: 100%; height: 100%; text-align: left; text-decoration: none; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .45rem .7rem; line-height: 1.25 }
.tiles b { display: block; font-size: 1.5rem; line-height: 1.2 }
.tiles > li > :not(span):hover { border-color: var(--link) }
.leaders { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; margin: 0; padding: 0; list-style: none }
.leaders li { display: flex; gap: .75rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .6rem; font-size: .92rem }
.leaders li > div { min-width: 0; overflow-wrap: break-word }
.leaders .photo { flex: 0 0 9rem; font-size: .78rem }
.leaders .action { font-weight: 600 }
.roofs { grid-template-columns: repeat(5, 1fr) }
.roofs li { flex-direction: column }
.roofs .photo { flex: none }
.photo { text-decoration: none; line-height: 1.25 }
.none { display: grid; place-items: center; margin: 0; padding: .5rem; aspect-ratio: 4/3; border: 1px dashed var(--line); border-radius: .3rem; color: var(--soft); text-align: center }
.photo img { display: block; width: 100%; height: auto; aspect-ratio: 4/3; object-fit: cover; border-radius: .3rem; margin-bottom: .15rem; background: var(--line) }
.level, .new { display: inline-block; padding: 0 .5rem; border-radius: 1rem; font-size: .82rem; font-weight: 600 }
.level.High { color: var(--high); background: var(--high-bg) }
.level.Medium { color: var(--medium); background: var(--medium-bg) }
.level.Low { color: var(--low); background: var(--low-bg) }
.new { color: var(--new); background: var(--new-bg); margin-left: .2rem }

/* Figures. */
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); gap: 1rem; align-items: start }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .7rem .9rem }
figcaption, caption { font-weight: 600; margin-bottom: .3rem; text-align: left }
figure ol { list-style: none; margin: 0; padding: 0 }
.bar { display: grid; grid-template-columns: minmax(0, 11rem) minmax(0, 1fr) 3.2rem; gap: .6rem; align-items: center; width: 100%; padding: .16rem .2rem; border: 0; background: none; text-align: left; font-size: .9rem; overflow-wrap: break-word }
.bar > * { min-width: 0 }
button.bar:hover { background: var(--low-bg) }
.bar b { text-align: right }
.bar svg { width: 100%; height: .8rem }
rect { fill: var(--bar) }
rect.Poor { fill: #c0392b }
rect.Fair { fill: #d99a2b }
rect.Good { fill: #4f9a64 }
rect.Excellent { fill: #2f7d5b }
td.Poor { background: var(--high-bg) }
td.Fair { background: var(--medium-bg) }

/* Tables. */
table { border-collapse: collapse; width: 100%; font-size: .9rem; background: var(--card) }
th, td { text-align: left; vertical-align: top; padding: .4rem .5rem; border-bottom: 1px solid var(--line) }
.breaks { overflow-wrap: anywhere }
.whole { white-space: nowrap }
td.number, th.number { text-align: right; white-space: nowrap }
tbody th { font-weight: 400 }
.ages { font-size: .85rem }
.ages th, .ages td { padding: .2rem .3rem }
#table thead { position: sticky; top: 6rem; z-index: 1; background: var(--card) }
#table thead th { padding: 0 }
#table thead button { width: 100%; border: 0; background: none; padding: .4rem .5rem; text-align: inherit; font-weight: 600 }
[aria-sort=ascending] button::after { content: " ▲"; content: " ▲" / "" }
[aria-sort=descending] button::after { content: " ▼"; content: " ▼" / "" }
#table td:first-child { white-space: nowrap }
#table td[data-label="Suggested"] { min-width: 11rem }
#table th:nth-child(2), #table th:nth-child(4) { width: 22% }
tbody th .soft { display: block }
.legend { margin-bottom: .6rem; font-size: .92rem }
#more { margin: .75rem 0 }
#empty { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem }
.folded { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .8rem; overflow-wrap: break-word }

/* One house. */
article { display: none; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .9rem 1.1rem; overflow-wrap: break-word }
article:target { display: block }
#houses:has(article:target) > .hint { display: none }
article h3 { font-size: 1.2rem }
.strip { display: flex; gap: .6rem; overflow-x: auto; padding: .4rem .2rem; font-size: .8rem }
.strip .photo { flex: 0 0 11rem }
.parts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 21rem), 1fr)); gap: 0 1.5rem }
.reasons .grave { font-weight: 600 }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 .7rem; margin: .3rem 0; font-size: .92rem }
dt { color: var(--soft) }
dd { margin: 0 }
.pairs { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); gap: .75rem }
.pairs figure > div { display: grid; grid-template-columns: 1fr 1fr; gap: .4rem; font-size: .8rem }
#walk { display: flex; gap: .75rem; align-items: center; margin-bottom: .6rem }
#viewer { border: 0; border-radius: .5rem; padding: .75rem; max-width: 96vw; max-height: 96vh; background: var(--card); color: var(--ink) }
#viewer img { display: block; max-width: 92vw; max-height: 80vh; min-width: min(40rem, 80vw); object-fit: contain }
#viewer p { display: flex; gap: .75rem; align-items: center; margin: .5rem 0 0 }
#viewer a { flex: 1 }
::backdrop { background: #000b }

@media screen { tr.later, .searching main > section:not(#list, #houses) { display: none } }
@media (min-width: 100rem) {
  .leaders { grid-template-columns: repeat(5, 1fr) }
  .leaders:not(.roofs) .photo { flex-basis: 6.5rem }
}
@media screen and (scripting: none) { tr.later { display: revert } }
@media screen and (max-width: 60rem) {
  table:not(.ages), table:not(.ages) > tbody { display: block; background: none }
  table:not(.ages) > thead { position: absolute !important; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  table:not(.ages) > tbody > tr:not(.later) { display: flex; flex-wrap: wrap; gap: 0 .8rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .75rem; margin-bottom: .5rem }
  table:not(.ages) > tbody > tr > * { padding: 0; border: 0; text-align: left }
  td:empty { display: none }
  td[data-label]::before { content: attr(data-label) ": "; color: var(--soft) }
  #table th:nth-child(2), #table .why, .changes th { flex: 1 1 100%; width: auto }
  #table .why { font-weight: 600 }
  .changes td + td::before { content: "→ " }
}
@media (max-width: 40rem) {
  header, main, #find > div { padding-inline: .8rem }
  #filters { display: inline-block }
  #find:not(.open) .filters { display: none }
  #find .filters label { flex: 1 1 45% }
  #find label span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  #find .filters select, #find .filters input { width: 100%; max-width: none }
  .tiles { grid-template-columns: 1fr 1fr 1fr }
  .tiles b { font-size: 1.25rem }
  .leaders { grid-template-columns: 1fr }
  .leaders .photo { flex-basis: 6rem }
  .roofs { display: flex; overflow-x: auto }
  .roofs li { flex: 0 0 9.5rem }
  .roofs .photo { flex: none }
  .ages thead .number { writing-mode: vertical-rl; text-align: left }
  .bar { grid-template-columns: minmax(0, 9rem) minmax(0, 1fr) 2.4rem }
}
@media (max-height: 30rem) { #find, #table thead { position: static !important } html { scroll-padding-top: .5rem !important } }
@media print {
  :root { color-scheme: light; --page: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #bbb; --link: #000; --high: #900; --high-bg: #fff; --medium: #630; --medium-bg: #fff; --low: #333; --low-bg: #fff; --new: #053; --new-bg: #fff }
  @page { margin: 1.2cm }
  body { font-size: 9pt }
  a { text-decoration: none }
  #find, .skip, #more, #walk, #viewer, .hint, summary, button:not(.bar):not([data-column]):not(.tiles *) { display: none !important }
  header, main { max-width: none; padding: 0 }
  h2 { margin: .8rem 0 .3rem; break-after: avoid }
  .tiles { grid-template-columns: repeat(7, 1fr) }
  .leaders { grid-template-columns: 1fr 1fr; gap: .4rem }
  .roofs { grid-template-columns: repeat(5, 1fr) }
  .leaders li { padding: .25rem; font-size: 8pt; line-height: 1.3 }
  .leaders .photo { flex-basis: 6rem }
  .charts { grid-template-columns: 1fr 1fr }
  li, figure, tr { break-inside: avoid }
  #houses:not(:has(article:target)), .legend, .charts figure:nth-child(n+3) { display: none }
  .folded { border: 0; padding: 0 }
  .plain { font-size: 7pt; line-height: 1.2 }
  .plain th, .plain td { padding: .08rem .25rem }
  h3 { font-size: 8.5pt }
  #table { font-size: 7pt; line-height: 1.2 }
  #table thead { position: static }
  #table thead button { padding: 0; font-size: 7pt }
  #table .level, #table .new { font-size: 7pt; padding: 0 }
  #table th, #table td { padding: .08rem .25rem }
  #table tbody th .soft { display: inline }
  #table button::after { display: none }
  #table th:nth-child(7), #table td:nth-child(7), #table th:nth-child(8), #table td:nth-child(8) { display: none }
  #table th:nth-child(2) { width: 36% } #table th:nth-child(4) { width: 25% }
  body:not(.narrowed) .long tr.low, .plain tbody tr:nth-child(n+${LIST_PRINTED_MAX + 1}) { display: none }
  .paper { display: block !important }
}
`;
