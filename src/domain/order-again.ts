/** How to order an ordered row once more: part of a sentence. */
export const DROP_AGAIN =
  'set "Allow duplicate" to Yes in its row, and drop the row again. If it already says Yes, also change the row’s Note; otherwise the row counts as a repeat';
