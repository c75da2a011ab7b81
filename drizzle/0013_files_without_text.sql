-- Pictures, archives and the like are ready with no pages; their state is decided again.
UPDATE `files` SET `status` = 'processing', `error` = NULL, `attempts` = 0 WHERE `status` = 'failed' AND `error` LIKE 'No text can be read from this kind of file.%';
