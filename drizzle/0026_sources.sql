CREATE TABLE `source_events` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`source` integer NOT NULL,
	`external_id` text,
	`event` text,
	`status` text NOT NULL,
	`record_id` text,
	`error` text,
	`received_at` integer NOT NULL,
	`headers` text NOT NULL,
	`body` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `source_events_id_unique` ON `source_events` (`id`);--> statement-breakpoint
CREATE INDEX `source_events_listed` ON `source_events` (`source`,`id`);--> statement-breakpoint
CREATE INDEX `source_events_status` ON `source_events` (`source`,`status`,`id`);--> statement-breakpoint
CREATE INDEX `source_events_external` ON `source_events` (`source`,`external_id`) WHERE external_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `source_events_received` ON `source_events` (`received_at`);--> statement-breakpoint
CREATE TABLE `source_sealed` (
	`event` integer PRIMARY KEY NOT NULL,
	`secret_version` integer NOT NULL,
	`sealed` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `sources` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`structure` integer NOT NULL,
	`name` text NOT NULL,
	`name_fold` text NOT NULL,
	`provider` text NOT NULL,
	`options` text NOT NULL,
	`secret` text,
	`secret_version` integer DEFAULT 0 NOT NULL,
	`token` text,
	`map` text NOT NULL,
	`external_id` text,
	`event` text,
	`when` text NOT NULL,
	`on_conflict` text NOT NULL,
	`newer_by` text,
	`enabled` integer NOT NULL,
	`description` text,
	`counts` text NOT NULL,
	`last_event_at` integer,
	`is_removed` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`structure`) REFERENCES `structures`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sources_id_unique` ON `sources` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `sources_name` ON `sources` (`workspace`,`name_fold`) WHERE is_removed = 0;--> statement-breakpoint
CREATE UNIQUE INDEX `sources_token` ON `sources` (`token`) WHERE token IS NOT NULL;--> statement-breakpoint
CREATE INDEX `sources_structure` ON `sources` (`structure`);