/** The page's whole style: light and dark, on a phone, a laptop and paper. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--ink:#1b2330;--soft:#566072;--line:#d9dde4;--link:#0b57a4;--high:#a3161d;--high-bg:#fde5e3;--medium:#7a5200;--medium-bg:#fdf0cf;--low:#3c4a5e;--low-bg:#e8ecf2}
@media (prefers-color-scheme:dark){:root{--page:#12161c;--card:#1b212a;--ink:#e7ebf1;--soft:#a7b1c0;--line:#343d4a;--link:#86bdf5;--high:#ffb3ae;--high-bg:#4a1c1e;--medium:#f4d58a;--medium-bg:#443310;--low:#c5cfdd;--low-bg:#2a3340}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
header,main{max-width:75rem;margin:0 auto;padding:0 1.25rem 1rem}header{padding-top:1rem}main>section:first-child h2{margin-top:.5rem}
h1{font-size:1.7rem;margin:.5rem 0 0}h2{font-size:1.25rem;margin:2rem 0 .75rem}h3{font-size:1.05rem;margin:0}
p{margin:.25rem 0}.soft{color:var(--soft)}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-999px}.skip:focus{left:1rem;top:1rem;background:var(--card);padding:.5rem 1rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(9rem,1fr));gap:.75rem;margin:0;padding:0;list-style:none}
.tiles li{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.6rem .8rem}
.tiles b{display:block;font-size:1.5rem;line-height:1.2}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1rem}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.8rem 1rem}
figcaption{font-weight:600;margin-bottom:.4rem}svg{width:100%;height:auto;display:block}
.filters{display:flex;flex-wrap:wrap;gap:.75rem;align-items:end;margin-bottom:.75rem}
.filters label{display:grid;gap:.2rem;font-size:.9rem}
input,select,button{font:inherit;padding:.4rem .6rem;border:1px solid var(--soft);border-radius:.35rem;background:var(--card);color:var(--ink)}
input{min-width:16rem}
.scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;vertical-align:top;padding:.45rem .7rem;border-bottom:1px solid var(--line)}
thead th{position:sticky;top:0;background:var(--card);white-space:nowrap}
td.number,th.number{text-align:right}
.level{display:inline-block;padding:0 .5rem;border-radius:1rem;font-size:.85rem;font-weight:600}
.level.High{color:var(--high);background:var(--high-bg)}.level.Medium{color:var(--medium);background:var(--medium-bg)}.level.Low{color:var(--low);background:var(--low-bg)}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,22rem),1fr));gap:1rem}
article{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.8rem 1rem;content-visibility:auto;contain-intrinsic-size:auto 16rem}
article ul{margin:.4rem 0;padding-left:1.1rem}
.photos{display:flex;flex-wrap:wrap;gap:.4rem;margin:.5rem 0}.photos img{display:block;width:100px;height:75px;object-fit:cover;border-radius:.3rem}
dl{display:grid;grid-template-columns:auto 1fr;gap:0 .6rem;margin:.4rem 0;font-size:.92rem}dt{color:var(--soft)}dd{margin:0}
[hidden]{display:none!important}
@media (max-width:40rem){input{min-width:0;width:100%}.filters label{flex:1 1 100%}}
@media print{:root{color-scheme:light;--page:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb;--link:#000;--high:#900;--high-bg:#fff;--medium:#630;--medium-bg:#fff;--low:#333;--low-bg:#fff}body{font-size:10pt}.filters,.skip,noscript{display:none}.scroll{overflow:visible;border:0}thead{display:table-header-group}thead th{position:static}tr,article,figure,.tiles li{break-inside:avoid}article{content-visibility:visible}.cards,.charts{grid-template-columns:1fr 1fr}header,main{max-width:none;padding:0}}
`;

/** Search and filter: rows and cards that do not fit are hidden, and how many are left is told. Without it, the page shows all. */
export const PAGE_SCRIPT = `
(() => {
  const $ = (id) => document.getElementById(id);
  const [search, level, status, shown] = ['search', 'level', 'status', 'shown'].map($);
  const rows = [...document.querySelectorAll('[data-project]')];
  const texts = new Map(rows.filter((row) => row.tagName === 'TR').map((row) => [row.dataset.project, row.textContent.toLowerCase()]));
  let waiting = 0;
  const filter = () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const text = texts.get(row.dataset.project) ?? '';
      const fits = words.every((word) => text.includes(word)) && (level.value === '' || row.dataset.level === level.value) && (status.value === '' || row.dataset.status === status.value);
      row.hidden = !fits;
      if (fits && row.tagName === 'TR') count += 1;
    }
    shown.textContent = count === texts.size ? 'All ' + count + ' projects are shown.' : count + ' of ' + texts.size + ' projects are shown.';
  };
  search.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); });
  for (const choice of [level, status]) choice.addEventListener('change', filter);
  $('clear').addEventListener('click', () => { search.value = level.value = status.value = ''; filter(); search.focus(); });
  for (const control of document.querySelectorAll('.filters [disabled]')) control.disabled = false;
  filter();
})();
`;
