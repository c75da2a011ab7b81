CREATE TABLE `server_address` (
	`pk` integer PRIMARY KEY NOT NULL,
	`url` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `sessions` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`hash` text NOT NULL,
	`user` integer NOT NULL,
	`workspace` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`address` text NOT NULL,
	`user_agent` text NOT NULL,
	FOREIGN KEY (`user`) REFERENCES `users`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_id_unique` ON `sessions` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_hash_unique` ON `sessions` (`hash`);--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user`);--> statement-breakpoint
CREATE INDEX `sessions_workspace` ON `sessions` (`workspace`);--> statement-breakpoint
CREATE TABLE `setup_links` (
	`user` integer PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user`) REFERENCES `users`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `setup_links_hash_unique` ON `setup_links` (`hash`);