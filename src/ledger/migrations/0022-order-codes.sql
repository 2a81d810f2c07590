-- Why an order is where it is, as a stable code (src/domain/order-codes.ts). Orders of earlier versions have their reason in words alone.
ALTER TABLE orders ADD COLUMN code TEXT;
-- The limits that a held file broke, as in intake.hold.
ALTER TABLE held_files ADD COLUMN limits TEXT NOT NULL DEFAULT '[]';
