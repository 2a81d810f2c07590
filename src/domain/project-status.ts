/** What the ledger holds as the status of a project that no sweep has seen yet: the document does not show the initial one. */
export const STATUS_NOT_SEEN = 'not yet known';

/** The problem of a project that the service answered 404 for; it is over as soon as a status is seen again. */
export const PROJECT_NOT_KNOWN = 'The service does not know this project (404).';
