DROP INDEX `records_deleted`;--> statement-breakpoint
CREATE INDEX `records_deleted` ON `records` (`structure`,`deleted_at`) WHERE deleted_at IS NOT NULL;