/*
 * Every delivery meets exactly one of these conditions, and the indexes of deliveries hold those that meet one of them:
 * a statement has to repeat the condition for SQLite to use the index.
 */

/** Never attempted, and due since it was made. */
export const IS_NEW = "status = 'pending' AND attempts = 0 AND is_urgent = 0"
export const IS_NOT_NEW = "(status <> 'pending' OR attempts > 0 OR is_urgent = 1)"
