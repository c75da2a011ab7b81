ALTER TABLE `source_events` ADD `size` integer;--> statement-breakpoint
ALTER TABLE `source_events` ADD `kept` integer;--> statement-breakpoint
CREATE INDEX `source_events_kept` ON `source_events` (`source`,`received_at`) WHERE kept IS NOT NULL;--> statement-breakpoint
ALTER TABLE `sources` ADD `kept_bytes` integer DEFAULT 0 NOT NULL;