/** A tensor: floats, or 64-bit integers. */
export interface Tensor {
	readonly type: 'float' | 'int64';
	readonly dims: readonly number[];
	readonly values: readonly number[];
}

/** One operation of a graph. Attributes are integers, or lists of integers. */
export interface Operation {
	readonly op: string;
	readonly from: readonly string[];
	readonly to: string;
	readonly attributes?: Readonly<Record<string, number | readonly number[]>>;
}

/** An input or an output: its type, and the names or sizes of its dimensions. */
export interface Port {
	readonly name: string;
	readonly type: 'float' | 'int32' | 'int64';
	readonly dims: readonly (number | string)[];
}

/** A model that a test builds. */
export interface TinyModel {
	readonly inputs: readonly Port[];
	readonly outputs: readonly Port[];
	readonly constants: Readonly<Record<string, Tensor>>;
	readonly operations: readonly Operation[];
	readonly metadata: Readonly<Record<string, string | number>>;
}

/** A tensor of floats. */
export function floats(values: readonly number[], dims: readonly number[] = [values.length]): Tensor {
	return { type: 'float', dims, values };
}

/** A tensor of integers. */
export function integers(values: readonly number[], dims: readonly number[] = [values.length]): Tensor {
	return { type: 'int64', dims, values };
}

/** The numbers of the element types, `TensorProto.DataType` of onnx.proto3. */
const types = { float: 1, int32: 6, int64: 7 } as const;

/** The bytes of a model, as `ModelProto` of onnx.proto3. */
export function encodeModel({ inputs, outputs, constants, operations, metadata }: TinyModel): Buffer {
	const graph = [
		...operations.map((operation) => message(1, node(operation))),
		text(2, 'tiny'),
		...Object.entries(constants).map(([name, tensor]) => message(5, [...tensorFields(tensor), text(8, name)])),
		...inputs.map((port) => message(11, valueInfo(port))),
		...outputs.map((port) => message(12, valueInfo(port))),
	];
	const properties = Object.entries(metadata).map(([key, value]) => message(14, [text(1, key), text(2, `${value}`)]));
	return Buffer.concat([integer(1, 8), message(7, graph), message(8, [text(1, ''), integer(2, 17)]), ...properties]);
}

function node({ op, from, to, attributes = {} }: Operation): readonly Buffer[] {
	return [
		...from.map((name) => text(1, name)),
		text(2, to),
		text(4, op),
		...Object.entries(attributes).map(([name, value]) => message(5, attribute(name, value))),
	];
}

function attribute(name: string, value: number | readonly number[]): readonly Buffer[] {
	if (typeof value === 'number') return [text(1, name), integer(3, value), integer(20, 2)];
	return [text(1, name), ...value.map((item) => integer(8, item)), integer(20, 7)];
}

function tensorFields({ type, dims, values }: Tensor): readonly Buffer[] {
	const raw = type === 'float' ? Float32Array.from(values) : BigInt64Array.from(values, BigInt);
	return [...dims.map((size) => integer(1, size)), integer(2, types[type]), bytes(9, Buffer.from(raw.buffer))];
}

function valueInfo({ name, type, dims }: Port): readonly Buffer[] {
	const shape = dims.map((size) => message(1, [typeof size === 'number' ? integer(1, size) : text(2, size)]));
	const tensor = [integer(1, types[type]), message(2, shape)];
	return [text(1, name), message(2, [message(1, tensor)])];
}

function message(field: number, parts: readonly Buffer[]): Buffer {
	return bytes(field, Buffer.concat(parts));
}

function text(field: number, value: string): Buffer {
	return bytes(field, Buffer.from(value));
}

function bytes(field: number, value: Buffer): Buffer {
	return Buffer.concat([varint(field * 8 + 2), varint(value.byteLength), value]);
}

function integer(field: number, value: number): Buffer {
	return Buffer.concat([varint(field * 8), varint(value)]);
}

/** Negative numbers take ten bytes, as 64-bit two's complement. */
function varint(value: number): Buffer {
	const groups: number[] = [];
	let rest = BigInt.asUintN(64, BigInt(value));
	for (; rest > 127n; rest >>= 7n) groups.push(Number(rest & 127n) | 128);
	return Buffer.from([...groups, Number(rest)]);
}
