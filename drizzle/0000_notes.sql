CREATE TABLE `keys` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`user` integer NOT NULL,
	`name` text NOT NULL,
	`scope` text NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	`last_used_at` integer,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `keys_id_unique` ON `keys` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `keys_hash_unique` ON `keys` (`hash`);--> statement-breakpoint
CREATE INDEX `keys_workspace` ON `keys` (`workspace`);--> statement-breakpoint
CREATE TABLE `members` (
	`workspace` integer NOT NULL,
	`user` integer NOT NULL,
	`role` text NOT NULL,
	PRIMARY KEY(`workspace`, `user`),
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user`) REFERENCES `users`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `members_user` ON `members` (`user`);--> statement-breakpoint
CREATE TABLE `users` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`name_fold` text NOT NULL,
	`password_hash` text,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `users_id_unique` ON `users` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_name_fold_unique` ON `users` (`name_fold`);--> statement-breakpoint
CREATE TABLE `workspaces` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`name_fold` text NOT NULL,
	`created_at` integer NOT NULL,
	`live_notes` integer DEFAULT 0 NOT NULL,
	`trashed_notes` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `workspaces_id_unique` ON `workspaces` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `workspaces_name_fold_unique` ON `workspaces` (`name_fold`);--> statement-breakpoint
CREATE TABLE `note_bodies` (
	`note` integer PRIMARY KEY NOT NULL,
	`content` text NOT NULL,
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `note_links` (
	`workspace` integer NOT NULL,
	`target` text NOT NULL,
	`note` integer NOT NULL,
	PRIMARY KEY(`workspace`, `target`, `note`),
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `note_links_note` ON `note_links` (`note`);--> statement-breakpoint
CREATE TABLE `notes` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`title` text NOT NULL,
	`title_fold` text NOT NULL,
	`alias` text,
	`alias_fold` text,
	`pinned` integer DEFAULT 0 NOT NULL,
	`pin_label` text,
	`cover_url` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `notes_id_unique` ON `notes` (`id`);--> statement-breakpoint
CREATE INDEX `notes_updated` ON `notes` (`workspace`,`updated_at`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `notes_created` ON `notes` (`workspace`,`created_at`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `notes_title` ON `notes` (`workspace`,`title_fold`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `notes_alias` ON `notes` (`workspace`,`alias_fold`) WHERE alias_fold IS NOT NULL AND deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `notes_trash` ON `notes` (`workspace`,`deleted_at`,`id`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `revisions` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`note` integer NOT NULL,
	`created_at` integer NOT NULL,
	`surface` text NOT NULL,
	`title` text NOT NULL,
	`content` text NOT NULL,
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `revisions_id_unique` ON `revisions` (`id`);--> statement-breakpoint
CREATE INDEX `revisions_note` ON `revisions` (`note`,`pk`);--> statement-breakpoint
CREATE INDEX `revisions_created` ON `revisions` (`created_at`);--> statement-breakpoint
CREATE TABLE `search_pending` (
	`workspace` integer NOT NULL,
	`note` integer NOT NULL,
	PRIMARY KEY(`workspace`, `note`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `note_properties` (
	`note` integer NOT NULL,
	`property` integer NOT NULL,
	`value` ANY NOT NULL,
	PRIMARY KEY(`note`, `property`),
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`property`) REFERENCES `properties`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `note_properties_value` ON `note_properties` (`property`,`value`,`note`);--> statement-breakpoint
CREATE TABLE `properties` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`key` text NOT NULL,
	`type` text NOT NULL,
	`label` text,
	`options` text,
	`position` integer NOT NULL,
	`is_pinned` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `properties_id_unique` ON `properties` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `properties_key` ON `properties` (`workspace`,`key`);--> statement-breakpoint
CREATE TABLE `note_tags` (
	`tag` integer NOT NULL,
	`note` integer NOT NULL,
	PRIMARY KEY(`tag`, `note`),
	FOREIGN KEY (`tag`) REFERENCES `tags`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `note_tags_note` ON `note_tags` (`note`,`tag`);--> statement-breakpoint
CREATE TABLE `tag_links` (
	`tag` integer NOT NULL,
	`linked` integer NOT NULL,
	PRIMARY KEY(`tag`, `linked`),
	FOREIGN KEY (`tag`) REFERENCES `tags`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`linked`) REFERENCES `tags`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `tag_links_linked` ON `tag_links` (`linked`);--> statement-breakpoint
CREATE TABLE `tags` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`workspace` integer NOT NULL,
	`name` text NOT NULL,
	`name_fold` text NOT NULL,
	`color` text,
	`is_pinned` integer DEFAULT 0 NOT NULL,
	`note_count` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `tags_name` ON `tags` (`workspace`,`name_fold`);