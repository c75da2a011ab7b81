CREATE TABLE `passkeys` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`user` integer NOT NULL,
	`name` text NOT NULL,
	`host` text NOT NULL,
	`credential` text NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	`is_synced` integer NOT NULL,
	`transports` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`user`) REFERENCES `users`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `passkeys_id_unique` ON `passkeys` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `passkeys_credential_unique` ON `passkeys` (`credential`);--> statement-breakpoint
CREATE INDEX `passkeys_user` ON `passkeys` (`user`);--> statement-breakpoint
CREATE TABLE `provider_links` (
	`user` integer PRIMARY KEY NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`closed_workspace` integer,
	FOREIGN KEY (`user`) REFERENCES `users`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`closed_workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `provider_links_subject` ON `provider_links` (`issuer`,`subject`);