CREATE TABLE `jobs` (
	`kind` text NOT NULL,
	`key` ANY NOT NULL,
	`state` text NOT NULL,
	`due_at` integer NOT NULL,
	PRIMARY KEY(`kind`, `key`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `jobs_due` ON `jobs` (`kind`,`due_at`);--> statement-breakpoint
INSERT INTO `jobs` (`kind`, `key`, `state`, `due_at`)
	SELECT 'tag.detach', `id`, json_object('author', json_object('workspacePk', `workspace`, 'surface', 'system', 'userId', '', 'keyId', NULL, 'keyName', NULL), 'name', `name`), 0
	FROM `tags` WHERE `is_removed` = 1;--> statement-breakpoint
INSERT INTO `jobs` (`kind`, `key`, `state`, `due_at`)
	SELECT 'property.detach', `pk`, json_object('author', json_object('workspacePk', `workspace`, 'surface', 'system', 'userId', '', 'keyId', NULL, 'keyName', NULL), 'key', `key`, 'type', `type`), 0
	FROM `properties` WHERE `is_removed` = 1;--> statement-breakpoint
INSERT INTO `jobs` (`kind`, `key`, `state`, `due_at`)
	SELECT 'tag.link', `j`.`pk`, json_object('author', json_object('workspacePk', `t`.`workspace`, 'surface', 'system', 'userId', '', 'keyId', NULL, 'keyName', NULL), 'tag', `tag`, 'linked', json(`linked`),
		'notes', json((SELECT json_group_array(`value`) FROM json_each(`notes`) WHERE `key` >= `done` / json_array_length(`linked`)))), 0
	FROM `tag_link_jobs` `j` CROSS JOIN `tags` `t` ON `t`.`id` = `tag` AND `is_removed` = 0
	WHERE json_array_length(`linked`) > 0;--> statement-breakpoint
DELETE FROM `tags` WHERE `is_removed` = 1;--> statement-breakpoint
DELETE FROM `properties` WHERE `is_removed` = 1;--> statement-breakpoint
DROP TABLE `tag_link_jobs`;--> statement-breakpoint
CREATE TABLE `__new_note_properties` (
	`note` integer NOT NULL,
	`property` integer NOT NULL,
	`value` ANY NOT NULL,
	PRIMARY KEY(`note`, `property`),
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_note_properties`("note", "property", "value") SELECT "note", "property", "value" FROM `note_properties`;--> statement-breakpoint
DROP TABLE `note_properties`;--> statement-breakpoint
ALTER TABLE `__new_note_properties` RENAME TO `note_properties`;--> statement-breakpoint
CREATE INDEX `note_properties_value` ON `note_properties` (`property`,`value`,`note`);--> statement-breakpoint
CREATE TABLE `__new_note_tags` (
	`tag` integer NOT NULL,
	`note` integer NOT NULL,
	PRIMARY KEY(`tag`, `note`),
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_note_tags`("tag", "note") SELECT "tag", "note" FROM `note_tags`;--> statement-breakpoint
DROP TABLE `note_tags`;--> statement-breakpoint
ALTER TABLE `__new_note_tags` RENAME TO `note_tags`;--> statement-breakpoint
CREATE INDEX `note_tags_note` ON `note_tags` (`note`,`tag`);--> statement-breakpoint
CREATE TABLE `__new_tag_links` (
	`tag` integer NOT NULL,
	`linked` integer NOT NULL,
	PRIMARY KEY(`tag`, `linked`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_tag_links`("tag", "linked") SELECT "tag", "linked" FROM `tag_links`;--> statement-breakpoint
DROP TABLE `tag_links`;--> statement-breakpoint
ALTER TABLE `__new_tag_links` RENAME TO `tag_links`;--> statement-breakpoint
CREATE INDEX `tag_links_linked` ON `tag_links` (`linked`);--> statement-breakpoint
DROP INDEX `properties_key`;--> statement-breakpoint
CREATE UNIQUE INDEX `properties_key` ON `properties` (`workspace`,`key`);--> statement-breakpoint
ALTER TABLE `properties` DROP COLUMN `is_removed`;--> statement-breakpoint
DROP INDEX `tags_name`;--> statement-breakpoint
CREATE UNIQUE INDEX `tags_name` ON `tags` (`workspace`,`name_fold`);--> statement-breakpoint
ALTER TABLE `tags` DROP COLUMN `is_removed`;