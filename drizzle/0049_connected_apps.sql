CREATE TABLE `access_tokens` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`hash` text NOT NULL,
	`app` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`app`) REFERENCES `connected_apps`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `access_tokens_hash_unique` ON `access_tokens` (`hash`);--> statement-breakpoint
CREATE INDEX `access_tokens_app` ON `access_tokens` (`app`);--> statement-breakpoint
CREATE TABLE `app_codes` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`hash` text NOT NULL,
	`workspace` integer NOT NULL,
	`user` integer NOT NULL,
	`client` text NOT NULL,
	`name` text NOT NULL,
	`host` text NOT NULL,
	`scope` text NOT NULL,
	`access` text,
	`redirect_uri` text NOT NULL,
	`challenge` text NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user`) REFERENCES `users`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `app_codes_hash_unique` ON `app_codes` (`hash`);--> statement-breakpoint
CREATE INDEX `app_codes_user` ON `app_codes` (`user`);--> statement-breakpoint
CREATE INDEX `app_codes_workspace` ON `app_codes` (`workspace`);--> statement-breakpoint
CREATE TABLE `connected_apps` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`user` integer NOT NULL,
	`client` text NOT NULL,
	`name` text NOT NULL,
	`host` text NOT NULL,
	`scope` text NOT NULL,
	`access` text,
	`code_hash` text NOT NULL,
	`family_hash` text NOT NULL,
	`refresh_hash` text NOT NULL,
	`refresh_expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user`) REFERENCES `users`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `connected_apps_id_unique` ON `connected_apps` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `connected_apps_code_hash_unique` ON `connected_apps` (`code_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `connected_apps_family_hash_unique` ON `connected_apps` (`family_hash`);--> statement-breakpoint
CREATE INDEX `connected_apps_user` ON `connected_apps` (`user`);--> statement-breakpoint
CREATE INDEX `connected_apps_workspace` ON `connected_apps` (`workspace`);--> statement-breakpoint
CREATE TABLE `oauth_clients` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`redirect_uris` text NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_clients_id_unique` ON `oauth_clients` (`id`);--> statement-breakpoint
CREATE INDEX `oauth_clients_used` ON `oauth_clients` (`used_at`);