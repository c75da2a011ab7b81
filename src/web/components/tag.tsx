/** The hue class of a tag. Tags with the same first segment share a hue. */
export function hueOfTag(name: string): string {
  const [first = ''] = name.toLowerCase().split('/')
  let sum = 0
  for (let index = 0; index < first.length; index++) sum = (sum * 31 + first.charCodeAt(index)) % 65_521
  return `hue-${sum % 10}`
}

/** A tag in its hue; a link if `href` is given. */
export const Tag = ({ name, href }: { name: string; href?: string }) =>
  href === undefined ? (
    <span class={`tag ${hueOfTag(name)}`}>{name}</span>
  ) : (
    <a class={`tag ${hueOfTag(name)}`} href={href}>
      {name}
    </a>
  )
