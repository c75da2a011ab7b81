/* The effect of a patch on a row: members that are not sent stay unchanged. */

/** The value of a column after a patch; null is an ordinary value. */
export const patched = <Value>(sent: Value | undefined, before: Value): Value =>
  sent === undefined ? before : sent

/** The value of a boolean column after a patch, stored as 1 or 0. */
export const patchedFlag = (sent: boolean | undefined, before: number): number =>
  sent === undefined ? before : Number(sent)

/** Whether a patch changes nothing: `before` holds every column of `after` with the same value. */
export const isSame = <Columns extends object>(before: Columns, after: Columns): boolean =>
  (Object.keys(after) as (keyof Columns)[]).every((name) => before[name] === after[name])
