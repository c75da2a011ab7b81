CREATE TABLE `change_undos` (
	`key` integer PRIMARY KEY NOT NULL,
	`undone` integer NOT NULL
) STRICT;
