/*
 * What a patch makes of a row: whatever is not sent stands as it was.
 */

/** A column after a patch; null is a value like any other. */
export const patched = <Value>(sent: Value | undefined, before: Value): Value =>
  sent === undefined ? before : sent

/** A yes/no after a patch, as it is kept: 1 or 0. */
export const patchedFlag = (sent: boolean | undefined, before: number): number =>
  sent === undefined ? before : Number(sent)

/** Whether a patch changes nothing: `before` holds every column of `after` with the same value. */
export const isSame = <Columns extends object>(before: Columns, after: Columns): boolean =>
  (Object.keys(after) as (keyof Columns)[]).every((name) => before[name] === after[name])
