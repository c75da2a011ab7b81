CREATE TABLE `comment_notices` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`workspace` integer NOT NULL,
	`user` integer NOT NULL,
	`comment` integer NOT NULL,
	`reason` text NOT NULL,
	`read_at` integer,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user`) REFERENCES `users`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`comment`) REFERENCES `comments`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `comment_notices_comment` ON `comment_notices` (`comment`,`user`);--> statement-breakpoint
CREATE INDEX `comment_notices_user` ON `comment_notices` (`user`,`workspace`,`pk`);--> statement-breakpoint
CREATE INDEX `comment_notices_workspace` ON `comment_notices` (`workspace`);--> statement-breakpoint
CREATE TABLE `comments` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`note` integer,
	`record` integer,
	`thread` integer,
	`author` text,
	`author_name` text NOT NULL,
	`text` text NOT NULL,
	`passage` text,
	`mentions` text NOT NULL,
	`resolved_at` integer,
	`resolved_by` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`record`) REFERENCES `records`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`thread`) REFERENCES `comments`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `comments_id_unique` ON `comments` (`id`);--> statement-breakpoint
CREATE INDEX `comments_workspace` ON `comments` (`workspace`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `comments_note` ON `comments` (`note`,`created_at`,`id`) WHERE note IS NOT NULL;--> statement-breakpoint
CREATE INDEX `comments_record` ON `comments` (`record`,`created_at`,`id`) WHERE record IS NOT NULL;--> statement-breakpoint
CREATE INDEX `comments_thread` ON `comments` (`thread`) WHERE thread IS NOT NULL;