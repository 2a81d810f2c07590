/** What the ledger holds as the status of a project that no sweep has seen yet: the document does not show the initial one. */
export const STATUS_NOT_SEEN = 'not yet known';
