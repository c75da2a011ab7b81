CREATE TABLE `lenses` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`name` text NOT NULL,
	`scope` text,
	`settings` text NOT NULL,
	`is_default` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `lenses_id_unique` ON `lenses` (`id`);--> statement-breakpoint
CREATE INDEX `lenses_workspace` ON `lenses` (`workspace`,`pk`);--> statement-breakpoint
CREATE UNIQUE INDEX `lenses_default` ON `lenses` (`workspace`) WHERE is_default = 1;--> statement-breakpoint
CREATE TABLE `preset_properties` (
	`preset` integer NOT NULL,
	`property` integer NOT NULL,
	`is_asked` integer NOT NULL,
	`position` integer NOT NULL,
	`value` text,
	PRIMARY KEY(`preset`, `property`),
	FOREIGN KEY (`preset`) REFERENCES `presets`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`property`) REFERENCES `properties`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `preset_properties_property` ON `preset_properties` (`property`);--> statement-breakpoint
CREATE TABLE `preset_tags` (
	`preset` integer NOT NULL,
	`tag` integer NOT NULL,
	PRIMARY KEY(`preset`, `tag`),
	FOREIGN KEY (`preset`) REFERENCES `presets`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tag`) REFERENCES `tags`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `preset_tags_tag` ON `preset_tags` (`tag`);--> statement-breakpoint
CREATE TABLE `presets` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`name` text NOT NULL,
	`name_fold` text NOT NULL,
	`icon` text,
	`color` text,
	`is_pinned` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `presets_id_unique` ON `presets` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `presets_name` ON `presets` (`workspace`,`name_fold`);--> statement-breakpoint
CREATE TABLE `quick_access` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`note` integer NOT NULL,
	`icon` text,
	`color` text,
	`icon_filled` integer NOT NULL,
	`position` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `quick_access_id_unique` ON `quick_access` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `quick_access_note_unique` ON `quick_access` (`note`);--> statement-breakpoint
CREATE INDEX `quick_access_position` ON `quick_access` (`workspace`,`position`);