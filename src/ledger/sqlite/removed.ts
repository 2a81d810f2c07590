/** True for an artifact that retention has not taken away. */
export const NOT_REMOVED = 'NOT EXISTS (SELECT 1 FROM removals WHERE removals.account = artifacts.account AND removals.path = artifacts.path)';

/** True for an artifact that no later version came in place of. */
export const LATEST = `NOT EXISTS (SELECT 1 FROM artifacts AS later WHERE later.account = artifacts.account AND later.project_id = artifacts.project_id
  AND later.kind = artifacts.kind AND later.service_id = artifacts.service_id AND later.version > artifacts.version)`;

/** True for an artifact that should be on disk. */
export const SHOULD_BE_HERE = `${LATEST} AND ${NOT_REMOVED}`;

/** True for a project that misses such a one. */
export const HAS_LOST = `EXISTS (SELECT 1 FROM artifacts WHERE artifacts.account = projects.account AND artifacts.project_id = projects.id AND artifacts.lost IS NOT NULL AND ${SHOULD_BE_HERE})`;
