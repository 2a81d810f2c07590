/** What a person does to order an inspection of an ordered row once more: part of a sentence. */
export const DROP_AGAIN =
  'set "Allow duplicate" to Yes in its row and drop the row again (if it is already Yes, also change its Note, so that the row differs from the earlier one)';
