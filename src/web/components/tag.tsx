/** The class of a tag's hue: the same for all that begin with the same part. */
export function hueOfTag(name: string): string {
  const [first = ''] = name.toLowerCase().split('/')
  let sum = 0
  for (let at = 0; at < first.length; at++) sum = (sum * 31 + first.charCodeAt(at)) % 65_521
  return `hue-${sum % 10}`
}

/** The name of a tag in its hue; with `href` a link. */
export const Tag = ({ name, href }: { name: string; href?: string }) =>
  href === undefined ? (
    <span class={`tag ${hueOfTag(name)}`}>{name}</span>
  ) : (
    <a class={`tag ${hueOfTag(name)}`} href={href}>
      {name}
    </a>
  )
