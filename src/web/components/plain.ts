/** Reduces links to their labels and removes the marks of Markdown, for text that is shown in one line. */
export const withoutMarks = (text: string): string =>
  text
    .replaceAll(/!?\[\[(?:[^[\]|\n]{0,500}\|)?|\]\]/g, '')
    .replaceAll(/!?\[([^[\]\n]{0,500})\]\([^()\s]{0,2000}\)/g, '$1')
    .replaceAll(/\*\*|~~|==|`+|\||-{3,}|^ *(?:#+|[-*+](?: \[.\])?|\d+\.) /gm, '')
