//! Class files made by hand, for what no compiler writes.

use program::classfile::ClassFile;

/// A class file under construction.
pub struct Assembler {
    pool: Vec<u8>,
    entries: u16,
    this: u16,
    parent: u16,
    major: u16,
    fields: Vec<u8>,
    field_count: u16,
    methods: Vec<u8>,
    method_count: u16,
}

/// A row of an exception table: start, end, target, class constant.
pub type Row = (u16, u16, u16, u16);

impl Assembler {
    pub fn new(name: &str, parent: &str, major: u16) -> Assembler {
        let mut assembler = Assembler {
            pool: Vec::new(),
            entries: 1,
            this: 0,
            parent: 0,
            major,
            fields: Vec::new(),
            field_count: 0,
            methods: Vec::new(),
            method_count: 0,
        };
        assembler.this = assembler.class(name);
        assembler.parent = assembler.class(parent);
        assembler
    }

    fn add(&mut self, tag: u8, rest: &[u8]) -> u16 {
        self.pool.push(tag);
        self.pool.extend_from_slice(rest);
        self.entries += 1;
        self.entries - 1
    }

    fn pair(&mut self, tag: u8, a: u16, b: u16) -> u16 {
        self.add(tag, &[a.to_be_bytes(), b.to_be_bytes()].concat())
    }

    pub fn utf8(&mut self, text: &str) -> u16 {
        let mut bytes = (text.len() as u16).to_be_bytes().to_vec();
        bytes.extend_from_slice(text.as_bytes());
        self.add(1, &bytes)
    }

    pub fn class(&mut self, name: &str) -> u16 {
        let name = self.utf8(name);
        self.add(7, &name.to_be_bytes())
    }

    pub fn string(&mut self, text: &str) -> u16 {
        let text = self.utf8(text);
        self.add(8, &text.to_be_bytes())
    }

    pub fn long(&mut self, value: i64) -> u16 {
        let index = self.add(5, &value.to_be_bytes());
        self.entries += 1;
        index
    }

    fn member(&mut self, tag: u8, class: &str, name: &str, descriptor: &str) -> u16 {
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        let member = self.pair(12, name, descriptor);
        let class = self.class(class);
        self.pair(tag, class, member)
    }

    pub fn field_ref(&mut self, class: &str, name: &str, descriptor: &str) -> u16 {
        self.member(9, class, name, descriptor)
    }

    pub fn method_ref(&mut self, class: &str, name: &str, descriptor: &str) -> u16 {
        self.member(10, class, name, descriptor)
    }

    pub fn interface_ref(&mut self, class: &str, name: &str, descriptor: &str) -> u16 {
        self.member(11, class, name, descriptor)
    }

    pub fn field(&mut self, flags: u16, name: &str, descriptor: &str) {
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        for value in [flags, name, descriptor, 0] {
            self.fields.extend_from_slice(&value.to_be_bytes());
        }
        self.field_count += 1;
    }

    /// Adds a method with `limits` of stack and locals.
    pub fn method(&mut self, flags: u16, name: &str, descriptor: &str, limits: (u16, u16), code: &[u8], rows: &[Row]) {
        let attribute = self.utf8("Code");
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        let mut body = Vec::new();
        body.extend_from_slice(&limits.0.to_be_bytes());
        body.extend_from_slice(&limits.1.to_be_bytes());
        body.extend_from_slice(&(code.len() as u32).to_be_bytes());
        body.extend_from_slice(code);
        body.extend_from_slice(&(rows.len() as u16).to_be_bytes());
        for row in rows {
            for value in [row.0, row.1, row.2, row.3] {
                body.extend_from_slice(&value.to_be_bytes());
            }
        }
        body.extend_from_slice(&[0, 0]);
        for value in [flags, name, descriptor, 1, attribute] {
            self.methods.extend_from_slice(&value.to_be_bytes());
        }
        self.methods.extend_from_slice(&(body.len() as u32).to_be_bytes());
        self.methods.extend_from_slice(&body);
        self.method_count += 1;
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0];
        bytes.extend_from_slice(&self.major.to_be_bytes());
        bytes.extend_from_slice(&self.entries.to_be_bytes());
        bytes.extend_from_slice(&self.pool);
        for value in [0x21, self.this, self.parent, 0, self.field_count] {
            bytes.extend_from_slice(&value.to_be_bytes());
        }
        bytes.extend_from_slice(&self.fields);
        bytes.extend_from_slice(&self.method_count.to_be_bytes());
        bytes.extend_from_slice(&self.methods);
        bytes.extend_from_slice(&[0, 0]);
        bytes
    }

    pub fn parse(&self) -> ClassFile {
        ClassFile::parse(self.bytes().into()).expect("a class file")
    }
}
