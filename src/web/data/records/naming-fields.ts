/** Whether the numbers of a field name something, as years and ids do: they have no separators and no sum. */
export const isNaming = (label: string): boolean => /(?:^|[\s_])(?:id|year)s?$/i.test(label)
