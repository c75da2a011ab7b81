CREATE TABLE `shares` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`kind` text NOT NULL,
	`target` text NOT NULL,
	`structure` text,
	`name` text,
	`token` text NOT NULL,
	`password_hash` text,
	`options` text NOT NULL,
	`expires_at` integer,
	`created_by` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`uses` integer DEFAULT 0 NOT NULL,
	`written` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`created_by`) REFERENCES `users`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `shares_id_unique` ON `shares` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `shares_token_unique` ON `shares` (`token`);--> statement-breakpoint
CREATE INDEX `shares_workspace` ON `shares` (`workspace`,`pk`);--> statement-breakpoint
CREATE INDEX `shares_created_by` ON `shares` (`created_by`);