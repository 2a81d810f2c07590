-- A project that had been returned when it was first seen got no date of its return, and counted as outstanding.
UPDATE projects SET returned_at = status_at WHERE returned_at IS NULL AND status = 'Returned to Client';
