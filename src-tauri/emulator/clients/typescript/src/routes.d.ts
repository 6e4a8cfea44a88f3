/** Which route of the operator's side a path leads to, and with it the types of query, body and answer. */
import type { AdminRoutes } from '../gen/types.d.ts'

type Method = keyof AdminRoutes

/** `{name}` of a route stands for any one segment of a path. */
type FitsOne<Segment, Part> = Part extends `{${string}}` ? true : Segment extends Part ? true : false

type Fits<Path, Like> = Path extends `${infer Segment}/${infer Rest}`
  ? Like extends `${infer First}/${infer Others}`
    ? FitsOne<Segment, First> extends true
      ? Fits<Rest, Others>
      : false
    : false
  : Like extends `${string}/${string}`
    ? false
    : FitsOne<Path, Like>

/** A path may begin as the documents write it. */
type Below<Path> = Path extends `/__admin${infer Rest}`
  ? Rest
  : Path extends `/${string}`
    ? Path
    : `/${Path & string}`

/** Never, where the path leads to none, or is not known before the program runs. */
type Route<M extends Method, Path> = Known<M, string extends Path ? Path : Below<Path>>

type Known<M extends Method, Path> = Path extends keyof AdminRoutes[M]
  ? AdminRoutes[M][Path]
  : {
      [Like in keyof AdminRoutes[M]]: Fits<Path, Like> extends true ? AdminRoutes[M][Like] : never
    }[keyof AdminRoutes[M]]

type PartOf<Found, Name extends string, Otherwise> = [Found] extends [never]
  ? Otherwise
  : Found extends Record<Name, infer Type>
    ? Type
    : Otherwise

type Parameters = Record<string, string | number | boolean | undefined>

export type Query<M extends Method, Path> = PartOf<Route<M, Path>, 'query', Parameters>
/** A text is sent as it is: a seed in YAML. */
export type Body<M extends Method, Path> = PartOf<Route<M, Path>, 'body', unknown> | string
export type Answer<M extends Method, Path> = PartOf<Route<M, Path>, 'answer', unknown>
/** For an answer whose type the caller names: `get<Mine>('/path')`. */
export type Untyped<Type> = unknown extends Type ? never : string
