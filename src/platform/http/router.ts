// Finds the route for a method and a path. A literal segment wins over a parameter, in any table order.

export type Match<R> =
  | { readonly type: 'found'; readonly route: R; readonly params: Readonly<Record<string, string>> }
  | { readonly type: 'wrong-method'; readonly allow: string }
  | { readonly type: 'unknown' }

interface Node<R> {
  readonly literals: Map<string, Node<R>>
  parameter: Node<R> | undefined
  readonly methods: Map<string, Row<R>>
}

interface Row<R> {
  readonly route: R
  readonly names: readonly string[]
}

export type Router<R> = (method: string, path: string) => Match<R>

/** `prefix`, such as `/api/v1`, is part of the requested path but not of the route paths. */
export function createRouter<R extends { readonly method: string; readonly path: string }>(
  prefix: string,
  routes: readonly R[],
): Router<R> {
  const root = newNode<R>()
  for (const route of routes) add(root, route)
  return (method, path) => {
    if (!path.startsWith(`${prefix}/`)) return { type: 'unknown' }
    const values: string[] = []
    const node = walk(root, path.slice(prefix.length + 1).split('/'), values)
    if (!node) return { type: 'unknown' }
    const row = node.methods.get(method)
    if (!row) return { type: 'wrong-method', allow: [...node.methods.keys()].join(', ') }
    return { type: 'found', route: row.route, params: named(row.names, values) }
  }
}

const newNode = <R>(): Node<R> => ({ literals: new Map(), parameter: undefined, methods: new Map() })

function add<R extends { readonly method: string; readonly path: string }>(root: Node<R>, route: R): void {
  let node = root
  const names: string[] = []
  for (const segment of route.path.slice(1).split('/')) {
    if (segment.startsWith(':')) {
      names.push(segment.slice(1))
      node.parameter ??= newNode()
      node = node.parameter
      continue
    }
    const next = node.literals.get(segment) ?? newNode<R>()
    node.literals.set(segment, next)
    node = next
  }
  if (node.methods.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`)
  node.methods.set(route.method, { route, names })
}

function walk<R>(node: Node<R>, segments: readonly string[], values: string[]): Node<R> | undefined {
  const [segment, ...rest] = segments
  if (segment === undefined) return node.methods.size > 0 ? node : undefined
  const literal = node.literals.get(segment)
  const found = literal && walk(literal, rest, values)
  if (found) return found
  if (!node.parameter || segment === '') return undefined
  values.push(segment)
  const below = walk(node.parameter, rest, values)
  if (!below) values.pop()
  return below
}

function named(names: readonly string[], values: readonly string[]): Readonly<Record<string, string>> {
  const params: Record<string, string> = {}
  names.forEach((name, index) => {
    params[name] = values[index] ?? ''
  })
  return params
}
