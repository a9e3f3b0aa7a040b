// Loads every module that it is given, as CommonJS hosts do and as ES modules do.
const specifiers = process.argv.slice(2);
for (const specifier of specifiers) require(specifier);
Promise.all(specifiers.map((specifier) => import(specifier))).then((modules) => {
	console.log(modules.filter((each) => Object.keys(each).length > 0).length);
});
