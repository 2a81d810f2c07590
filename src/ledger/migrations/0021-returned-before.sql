UPDATE projects SET returned_at = status_at WHERE returned_at IS NULL AND status = 'Returned to Client';
