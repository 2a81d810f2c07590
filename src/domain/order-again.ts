/** What a person does to order an inspection of an ordered row once more: part of a sentence. */
export const DROP_AGAIN =
  'drop its row again with Yes under "Allow duplicate" (if it has Yes already, change its note too)';
