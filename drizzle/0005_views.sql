CREATE TABLE `views` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`name` text NOT NULL,
	`filter` text,
	`sort_field` text NOT NULL,
	`sort_direction` text NOT NULL,
	`sort_property` text,
	`display_properties` text NOT NULL,
	`show_tags` integer NOT NULL,
	`is_pinned` integer NOT NULL,
	`is_default` integer NOT NULL,
	`icon` text,
	`color` text,
	`cover_url` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `views_id_unique` ON `views` (`id`);--> statement-breakpoint
CREATE INDEX `views_workspace` ON `views` (`workspace`,`pk`);--> statement-breakpoint
CREATE UNIQUE INDEX `views_default` ON `views` (`workspace`) WHERE is_default = 1;