import { signal } from '@preact/signals'

const query = matchMedia('(width < 45rem)')

/** True where screens have the layout of a phone. */
export const isNarrow = signal(query.matches)

query.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches
})
