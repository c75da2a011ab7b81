INSERT OR IGNORE INTO `jobs` (`kind`, `key`, `state`, `due_at`) SELECT 'notes.links', `note`, '{"after":"","changes":0}', 0 FROM `note_links` WHERE instr(`target`, char(92)) > 0 GROUP BY `note`;
