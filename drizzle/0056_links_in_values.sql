INSERT OR IGNORE INTO `jobs` (`kind`, `key`, `state`, `due_at`) SELECT 'notes.links', `note`, '{"after":"","changes":0}', 0 FROM `note_properties` WHERE instr(`value`, '[[') > 0 GROUP BY `note`;
