import { visible } from '../../domain/text.ts';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as it may stand in a page's content and in its attributes. */
export function html(text: string): string {
  return visible(text).replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** Below this width a row of the table is a block of its own: nothing is cut off or out of sight. */
const NARROW = '60rem';

/** The page's whole style: light and dark, on a phone, a laptop and paper. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--ink:#1b2330;--soft:#566072;--line:#d9dde4;--link:#0b57a4;--high:#a3161d;--high-bg:#fde5e3;--medium:#7a5200;--medium-bg:#fdf0cf;--low:#3c4a5e;--low-bg:#e8ecf2}
@media (prefers-color-scheme:dark){:root{--page:#12161c;--card:#1b212a;--ink:#e7ebf1;--soft:#a7b1c0;--line:#343d4a;--link:#86bdf5;--high:#ffb3ae;--high-bg:#4a1c1e;--medium:#f4d58a;--medium-bg:#443310;--low:#c5cfdd;--low-bg:#2a3340}}
*{box-sizing:border-box}
html{scroll-padding-top:6rem}thead{top:5.1rem}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
header,main,.bar>div{max-width:75rem;margin:0 auto;padding:0 1.25rem}header{padding-top:1rem;padding-bottom:.75rem}main{padding-bottom:1rem}main>section:first-child h2{margin-top:1rem}
h1{font-size:1.7rem;margin:0}h2{font-size:1.25rem;margin:2rem 0 .75rem}h3{font-size:1.05rem;margin:0}
p{margin:.25rem 0}.soft{color:var(--soft)}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}h2:focus-visible{outline:0}
.skip{position:absolute;left:-999px}.skip:focus{left:1rem;top:1rem;z-index:3;background:var(--card);padding:.5rem 1rem}
.bar{position:sticky;top:0;z-index:2;margin:0;background:var(--card);border-block:1px solid var(--line)}
.bar>div{display:flex;flex-wrap:wrap;gap:.3rem .75rem;align-items:center;padding-block:.5rem}
.bar label{display:flex;gap:.4rem;align-items:center;font-size:.9rem}
.bar .find{flex:1 1 20rem}.find input{flex:1;min-width:0}
.bar p{flex:1 1 100%;margin:0;font-size:.9rem;display:flex;flex-wrap:wrap;gap:0 1rem}
input,select,button{font:inherit;padding:.35rem .55rem;border:1px solid var(--soft);border-radius:.35rem;background:var(--card);color:var(--ink)}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(9rem,1fr));gap:.75rem;margin:0;padding:0;list-style:none}
.tiles li{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.6rem .8rem}
.tiles b{display:block;font-size:1.5rem;line-height:1.2}
.charts{columns:3 20rem;column-gap:1rem}.charts figure{break-inside:avoid;margin-bottom:1rem}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.8rem 1rem}
figure p{font-size:.9rem}figcaption{font-weight:600;margin-bottom:.4rem}svg{width:100%;max-width:30rem;height:auto;display:block}
table{border-collapse:collapse;width:100%;font-size:.92rem;background:var(--card)}
th,td{text-align:left;vertical-align:top;padding:.45rem .5rem;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
td.number,th.number{text-align:right}
.level{display:inline-block;padding:0 .5rem;border-radius:1rem;font-size:.85rem;font-weight:600}
.level.High{color:var(--high);background:var(--high-bg)}.level.Medium{color:var(--medium);background:var(--medium-bg)}.level.Low{color:var(--low);background:var(--low-bg)}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,22rem),1fr));gap:1rem}
article{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.8rem 1rem;overflow-wrap:anywhere;content-visibility:auto;contain-intrinsic-size:auto 26rem}
article:target,article:focus{outline:3px solid var(--link);outline-offset:0}
article ul,article ol{margin:.4rem 0;padding-left:1.3rem}summary{cursor:pointer;color:var(--link)}
.photos{display:grid;grid-template-columns:repeat(3,minmax(0,10rem));gap:.5rem;margin:.5rem 0;font-size:.8rem;line-height:1.25}.photos img{display:block;width:100%;height:auto;aspect-ratio:4/3;object-fit:cover;border-radius:.3rem;margin-bottom:.15rem}
dl{display:grid;grid-template-columns:auto 1fr;gap:0 .6rem;margin:.4rem 0;font-size:.92rem}dt{color:var(--soft)}dd{margin:0}
[hidden]{display:none!important}
@media screen{
table,tbody{display:block}
thead{display:block;position:sticky;z-index:1;background:var(--card)}
tr{display:grid;grid-template-columns:6rem 4.5rem 6rem 9.5rem minmax(0,1.2fr) minmax(0,1.6fr) 8.5rem minmax(0,2fr);border-bottom:1px solid var(--line)}
th,td{border:0}
tbody tr{content-visibility:auto;contain-intrinsic-size:auto 4.5rem}
}
@media screen and (max-width:${NARROW}){
table{background:none}thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tbody tr{display:flex;flex-wrap:wrap;align-items:baseline;gap:0 .75rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.5rem .8rem;margin-bottom:.6rem;contain-intrinsic-size:auto 11rem}
tbody th,td{padding:0}td:empty{display:none}td:nth-child(n+4){flex:1 1 100%}td:nth-child(2)::after{content:" points"}
tbody th::before{content:"Project ";font-weight:400}td:nth-child(n+4)::before{color:var(--soft)}td:nth-child(4)::before{content:"Policy: "}td:nth-child(5)::before{content:"Insured: "}td:nth-child(6)::before{content:"Property: "}td:nth-child(7)::before{content:"Status: "}td:nth-child(8)::before{content:"First reason: "}
}
@media (max-width:40rem){header,main,.bar>div{padding-inline:.9rem}.bar label span{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.bar .find{flex:1 1 60%}.bar label{flex:1 1 40%}.bar select{width:100%;min-width:0}}
@media (max-height:30rem){.bar,thead{position:static!important}html{scroll-padding-top:.5rem!important}}
@media print{:root{color-scheme:light;--page:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb;--link:#000;--high:#900;--high-bg:#fff;--medium:#630;--medium-bg:#fff;--low:#333;--low-bg:#fff}body{font-size:10pt}.bar,.skip,.all,summary{display:none}details::details-content{content-visibility:visible;display:block;height:auto}tr,article,figure,.tiles li{break-inside:avoid}table{table-layout:fixed;font-size:8.5pt}th,td{padding:.25rem;overflow-wrap:break-word}th:nth-child(1){width:10%}th:nth-child(2){width:7%}th:nth-child(3){width:9%}th:nth-child(4){width:15%}th:nth-child(5){width:13%}th:nth-child(6){width:17%}th:nth-child(7){width:10%}:focus-visible,article{outline:0!important}article{content-visibility:visible}.cards{grid-template-columns:1fr 1fr}.charts{columns:2}header,main{max-width:none;padding:0}}
`;

/**
 * Search and filter: rows and cards that do not fit are hidden, and how many are left is told. Without it, the page shows all.
 * What is searched stands in the cards alone, so a search reads them once, when the first letter is typed.
 */
export const PAGE_SCRIPT = String.raw`
(() => {
  const $ = (id) => document.getElementById(id);
  const [find, search, level, status, shown] = ['find', 'search', 'level', 'status', 'shown'].map($);
  const rows = [...document.querySelectorAll('tbody tr')];
  const cards = [...document.querySelectorAll('article')];
  const folds = cards.map((card) => card.querySelectorAll('details.why'));
  const plain = (text) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
  const withoutZeros = (text) => text.replace(/(^|[^\p{N}])0+(?=\p{N})/gu, '$1');
  let texts;
  const read = (card) => {
    const text = [...card.querySelectorAll('h3,.who,dd,.why li')].map((part) => plain(part.textContent)).join('\n');
    return [text, withoutZeros(text)];
  };
  // Wherever the letters stand together; with a gap in between from the start of a word on, and for numbers anywhere.
  const finder = (wanted) => {
    const letters = [...wanted.replaceAll(' ', '')];
    const apart = new RegExp((/\p{N}/u.test(wanted) ? '' : '(?:^|[ \n])') + letters.join(' ?'), 'u');
    return (text) => text.includes(wanted) || apart.test(text);
  };
  const either = (wanted) => {
    const [asWritten, bare] = [finder(wanted), finder(withoutZeros(wanted))];
    return ([text, textBare]) => asWritten(text) || bare(textBare);
  };
  const matcher = (query) => {
    const whole = either(plain(query));
    const words = query.split(/\s+/).map(plain).filter(Boolean).map(either);
    return (text) => whole(text) || (words.length > 1 && words.every((word) => word(text)));
  };
  const filter = () => {
    const searching = plain(search.value) !== '';
    if (searching) texts ??= cards.map(read);
    const matches = searching ? matcher(search.value) : () => true;
    let count = 0;
    cards.forEach((card, index) => {
      const fits = (level.value === '' || card.dataset.level === level.value) && (status.value === '' || card.dataset.status === status.value) && matches(texts?.[index]);
      card.hidden = rows[index].hidden = !fits;
      for (const fold of folds[index]) fold.open = fits && searching;
      if (fits) count += 1;
    });
    const all = cards.length;
    shown.textContent = (count === all ? 'All ' + all + ' projects.' : count + ' of ' + all + ' projects.') + (searching && count > 0 ? ' Enter goes to the first.' : '');
  };
  const showAll = () => { search.value = level.value = status.value = ''; filter(); };
  const goTo = (card) => {
    if (card.hidden) showAll();
    for (const fold of card.querySelectorAll('details.why')) fold.open = true;
    card.focus({ preventScroll: true });
    card.scrollIntoView();
  };
  const arrive = () => {
    const card = $(location.hash.slice(1));
    if (card?.tagName === 'ARTICLE') goTo(card);
  };
  let waiting = 0;
  search.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); });
  find.addEventListener('submit', (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    filter();
    const first = cards.find((card) => !card.hidden);
    if (first) { location.hash = first.id; goTo(first); }
  });
  for (const choice of [level, status]) choice.addEventListener('change', filter);
  $('clear').addEventListener('click', () => { showAll(); search.focus(); });
  addEventListener('hashchange', arrive);
  for (const control of find.querySelectorAll('[disabled]')) control.disabled = false;
  // Properties that nothing inherits: so the styles of a long page are not computed again.
  new ResizeObserver(() => {
    document.documentElement.style.scrollPaddingTop = find.offsetHeight + 12 + 'px';
    document.querySelector('thead').style.top = find.offsetHeight - 1 + 'px';
  }).observe(find);
  arrive();
})();
`;
