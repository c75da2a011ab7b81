INSERT INTO `jobs` (`kind`, `key`, `state`, `due_at`) SELECT 'events.rows', 0, 'null', min(`due_at`) FROM `webhook_moments` HAVING min(`due_at`) IS NOT NULL;--> statement-breakpoint
INSERT INTO `jobs` (`kind`, `key`, `state`, `due_at`) SELECT 'events.notes', 0, 'null', min(`due_at`) FROM `webhook_waiting` HAVING min(`due_at`) IS NOT NULL;--> statement-breakpoint
INSERT INTO `jobs` (`kind`, `key`, `state`, `due_at`) SELECT 'schedule.begin', `pk`, 'null', 0 FROM `webhook_schedules` WHERE `is_ended` = 0 AND `last` IS NOT NULL;--> statement-breakpoint
INSERT INTO `jobs` (`kind`, `key`, `state`, `due_at`) SELECT 'schedule.end', `pk`, 'null', 0 FROM `webhook_schedules` WHERE `is_ended` = 1;
