INSERT OR REPLACE INTO `search_pending` (`workspace`, `note`, `can_wait`)
	SELECT `n`.`workspace`, `n`.`pk`, 2 FROM `notes` `n` CROSS JOIN `note_bodies` `b` ON `b`.`note` = `n`.`pk`
	WHERE `n`.`deleted_at` IS NULL AND (octet_length(`n`.`title`) <> length(`n`.`title`) OR octet_length(`b`.`content`) <> length(`b`.`content`)
		OR `n`.`title` || ' ' || `b`.`content` GLOB '*[$<>]*' OR `n`.`title` || ' ' || `b`.`content` LIKE '%c++%'
		OR `n`.`title` || ' ' || `b`.`content` LIKE '%c#%' OR `n`.`title` || ' ' || `b`.`content` LIKE '%f#%'
		OR `n`.`title` || ' ' || `b`.`content` LIKE '%.net%');--> statement-breakpoint
INSERT INTO `tag_search` (`tag_search`) VALUES ('delete-all');--> statement-breakpoint
INSERT OR IGNORE INTO `jobs` (`kind`, `key`, `state`, `due_at`) SELECT 'files.index', 0, '0', 0 WHERE EXISTS (SELECT 1 FROM `file_pages`);
