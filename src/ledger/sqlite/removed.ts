/** True for an artifact that retention has not taken away. */
export const NOT_REMOVED = 'NOT EXISTS (SELECT 1 FROM removals WHERE removals.account = artifacts.account AND removals.path = artifacts.path)';
