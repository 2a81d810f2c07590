(() => {
  // What is folded on the screen is open on paper.
  let folded = [];
  addEventListener('beforeprint', () => {
    folded = document.querySelectorAll('main .folded:not([open])');
    for (const list of folded) list.open = true;
  });
  addEventListener('afterprint', () => {
    for (const list of folded) list.open = false;
  });
})();
